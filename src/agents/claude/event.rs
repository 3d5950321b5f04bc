//! One line of `--output-format stream-json`, as far as callbox reads it.

use serde_json::Value;

use super::{refusal::Refusal, result_event::ResultEvent, tool_use::ToolUse};
use crate::ids::Timestamp;

/// What a line says. Fields that are missing or of another type than expected read as absent, so that
/// a newer program's line never stops a run; only [`ResultEvent`] is strict.
#[derive(Debug, PartialEq)]
pub(super) enum Event {
    /// The program is ready; repeated at the start of each further turn.
    Init(Init),
    /// The model spoke, or the program in its place.
    Assistant(Assistant),
    /// Tools answered the model.
    Tools(Vec<ToolResult>),
    /// A tool runs on.
    Running {
        /// The call.
        id: String,
        /// For how long, in seconds.
        seconds: u64,
    },
    /// A tool was denied.
    Denied {
        /// Its name.
        tool: String,
        /// The call.
        id: String,
    },
    /// The provider refused and will be asked again.
    Retry {
        /// Counts the refusals, from 1.
        attempt: u64,
        /// After how many milliseconds.
        delay_ms: u64,
        /// Why.
        refusal: Refusal,
    },
    /// The provider said how much is left.
    RateLimit {
        /// Whether it serves on.
        standing: Standing,
        /// When the limit that counts is reset.
        resets_at: Option<Timestamp>,
    },
    /// A turn is over.
    Result(Box<ResultEvent>),
}

/// `system/init`.
#[derive(Debug, PartialEq)]
pub(super) struct Init {
    /// The session's id.
    pub(super) session: Option<String>,
    /// The model to be asked.
    pub(super) model: Option<String>,
    /// How the server of this name stands, such as `connected`; `None` where it is not listed.
    pub(super) servers: Vec<(String, String)>,
}

/// `assistant`.
#[derive(Debug, PartialEq)]
pub(super) struct Assistant {
    /// The message's id: one message comes as several events.
    pub(super) message: String,
    /// Who speaks.
    pub(super) speaker: Speaker,
    /// What was said, block by block.
    pub(super) blocks: Vec<Block>,
    /// Tokens the message took: read, and written so far.
    pub(super) tokens: (u64, u64),
}

/// Who speaks in an `assistant` event.
#[derive(Debug, PartialEq)]
pub(super) enum Speaker {
    /// The model of the conversation.
    Model,
    /// The model of a subagent of the program's own.
    Subagent,
    /// The program itself: its words on a refusal of the provider, or a command's output.
    Program(Option<Refusal>),
}

/// A block of a message.
#[derive(Debug, PartialEq)]
pub(super) enum Block {
    /// Words.
    Text(String),
    /// A call of a tool.
    Tool(ToolUse),
}

/// A tool's answer.
#[derive(Debug, PartialEq)]
pub(super) struct ToolResult {
    /// The call.
    pub(super) call: String,
    /// Its words.
    pub(super) text: String,
    /// Whether the tool failed, in which case the words may be the program's own.
    pub(super) failed: bool,
}

/// How an account stands with its provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is served.
    Served,
    /// It is not.
    Refused,
}

impl Event {
    /// Reads a line; `None` where it is no event that matters.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let event: Value = serde_json::from_slice(line).ok()?;
        match (text(&event, "type")?, text(&event, "subtype")) {
            ("system", Some("init")) => Some(Self::Init(init(&event))),
            ("system", Some("permission_denied")) => Some(Self::Denied {
                tool: text(&event, "tool_name")?.to_owned(),
                id: text(&event, "tool_use_id")?.to_owned(),
            }),
            ("system", Some("api_retry")) => Some(Self::Retry {
                attempt: number(&event, "attempt"),
                delay_ms: number(&event, "retry_delay_ms"),
                refusal: Refusal {
                    status: event.get("error_status").and_then(Value::as_u64),
                    error: text(&event, "error").map(str::to_owned),
                },
            }),
            ("assistant", _) => assistant(&event).map(Self::Assistant),
            ("user", _) => Some(Self::Tools(tool_results(&event))),
            ("tool_progress", _) => Some(Self::Running {
                id: text(&event, "tool_use_id")?.to_owned(),
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a cast from a float saturates, and whole seconds are what is wanted"
                )]
                seconds: event.get("elapsed_time_seconds").and_then(Value::as_f64).unwrap_or(0.0) as u64,
            }),
            ("rate_limit_event", _) => rate_limit(event.get("rate_limit_info")?),
            ("result", _) => Some(Self::Result(Box::new(ResultEvent::read(&event)))),
            _ => None,
        }
    }
}

/// The text under `key`.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// The whole number under `key`, 0 where there is none.
pub(super) fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}

fn init(event: &Value) -> Init {
    let servers = event.get("mcp_servers").and_then(Value::as_array);
    Init {
        session: text(event, "session_id").map(str::to_owned),
        model: text(event, "model").map(str::to_owned),
        servers: servers
            .into_iter()
            .flatten()
            .filter_map(|server| Some((text(server, "name")?.to_owned(), text(server, "status")?.to_owned())))
            .collect(),
    }
}

fn assistant(event: &Value) -> Option<Assistant> {
    let message = event.get("message")?;
    let usage = message.get("usage").unwrap_or(&Value::Null);
    let read = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    Some(Assistant {
        message: text(message, "id").unwrap_or_default().to_owned(),
        speaker: speaker(event, message),
        blocks: blocks(message).into_iter().filter_map(block).collect(),
        tokens: (
            read.into_iter().map(|key| number(usage, key)).fold(0, u64::saturating_add),
            number(usage, "output_tokens"),
        ),
    })
}

fn speaker(event: &Value, message: &Value) -> Speaker {
    let refused = event.get("is_api_error_message").and_then(Value::as_bool) == Some(true);
    if refused || text(message, "model") == Some("<synthetic>") || event.get("local_command_run").is_some() {
        return Speaker::Program(refused.then(|| Refusal {
            status: event.get("api_error_status").and_then(Value::as_u64),
            error: text(event, "error").map(str::to_owned),
        }));
    }
    match event.get("parent_tool_use_id") {
        None | Some(Value::Null) => Speaker::Model,
        Some(_) => Speaker::Subagent,
    }
}

fn blocks(message: &Value) -> Vec<&Value> {
    message.get("content").and_then(Value::as_array).map(|blocks| blocks.iter().collect()).unwrap_or_default()
}

fn block(block: &Value) -> Option<Block> {
    match text(block, "type")? {
        "text" => Some(Block::Text(text(block, "text")?.to_owned())),
        "tool_use" => Some(Block::Tool(ToolUse::read(block)?)),
        _ => None,
    }
}

fn tool_results(event: &Value) -> Vec<ToolResult> {
    let message = event.get("message").unwrap_or(&Value::Null);
    blocks(message)
        .into_iter()
        .filter(|block| text(block, "type") == Some("tool_result"))
        .map(|block| ToolResult {
            call: text(block, "tool_use_id").unwrap_or_default().to_owned(),
            text: words(block.get("content").unwrap_or(&Value::Null)),
            failed: block.get("is_error").and_then(Value::as_bool) == Some(true),
        })
        .collect()
}

/// The words of a tool's answer: a string, or blocks.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| text(block, "text")).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn rate_limit(info: &Value) -> Option<Event> {
    let standing = if text(info, "status")? == "rejected" { Standing::Refused } else { Standing::Served };
    Some(Event::RateLimit { standing, resets_at: info.get("resetsAt").and_then(seconds) })
}

/// A time in seconds since the epoch, between 2020 and 2100: anything else is no reset time.
fn seconds(value: &Value) -> Option<Timestamp> {
    let seconds = value.as_i64().filter(|seconds| (1_577_836_800..4_102_444_800).contains(seconds))?;
    Some(Timestamp::from_millis(seconds * 1000))
}
