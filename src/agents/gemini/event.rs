//! One line of `--output-format stream-json`, as far as callbox reads it.

use serde_json::Value;

use super::{result_event::ResultEvent, tool_use::ToolUse};

/// What a line says. Fields that are missing or of another type than expected read as absent, so that
/// a newer program's line never stops a run; only [`ResultEvent`] is strict.
#[derive(Debug, PartialEq)]
pub(super) enum Event {
    /// The program is ready. No model was asked yet.
    Init {
        /// The session's id.
        session: Option<String>,
        /// The model to be asked; `auto` where the program chooses.
        model: Option<String>,
    },
    /// The model spoke. One message comes in parts.
    Said(String),
    /// The model calls a tool.
    Call(ToolUse),
    /// A tool answered.
    Answer(ToolResult),
    /// The program itself says that something went wrong.
    Trouble {
        /// Its word for how bad that is: `error` or `warning`.
        severity: String,
        /// In its words.
        message: String,
    },
    /// The run is over.
    Result(Box<ResultEvent>),
}

/// A tool's answer.
#[derive(Debug, PartialEq)]
pub(super) struct ToolResult {
    /// The call.
    pub(super) call: String,
    /// Its words, as they are shown to people.
    pub(super) text: String,
    /// Why it failed, where it did.
    pub(super) failure: Option<Failure>,
}

/// Why a call failed.
#[derive(Debug, PartialEq)]
pub(super) struct Failure {
    /// Gemini CLI's word for it, such as `policy_violation`.
    pub(super) kind: String,
    /// In words.
    pub(super) message: String,
}

impl Failure {
    /// Why the server of the tool could not be reached, where that is the reason: the program gives its error in the
    /// place of an answer of the tool's.
    pub(super) fn of_transport(&self) -> Option<String> {
        let (_, answer) = self.message.rsplit_once(" with response: ")?;
        let answer: Value = serde_json::from_str(answer).ok()?;
        let reason = text(answer.pointer("/0/functionResponse/response/error")?, "message")?;
        let gone = ["Not connected", "Connection closed"].iter().any(|part| reason.contains(part));
        gone.then(|| reason.to_owned())
    }
}

impl Event {
    /// Reads a line; `None` where it is no event that matters.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let event: Value = serde_json::from_slice(line).ok()?;
        match text(&event, "type")? {
            "init" => Some(Self::Init {
                session: text(&event, "session_id").map(str::to_owned),
                model: text(&event, "model").map(str::to_owned),
            }),
            "message" if text(&event, "role") == Some("assistant") => {
                Some(Self::Said(text(&event, "content")?.to_owned()))
            }
            "tool_use" => ToolUse::read(&event).map(Self::Call),
            "tool_result" => Some(Self::Answer(tool_result(&event)?)),
            "error" => Some(Self::Trouble {
                severity: text(&event, "severity").unwrap_or("error").to_owned(),
                message: text(&event, "message").unwrap_or_default().to_owned(),
            }),
            "result" => Some(Self::Result(Box::new(ResultEvent::read(&event)))),
            _ => None,
        }
    }
}

/// The text under `key`.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

fn tool_result(event: &Value) -> Option<ToolResult> {
    let error = event.get("error").filter(|error| error.is_object());
    let failure = error.map(|error| Failure {
        kind: text(error, "type").unwrap_or_default().to_owned(),
        message: text(error, "message").unwrap_or_default().to_owned(),
    });
    Some(ToolResult {
        call: text(event, "tool_id")?.to_owned(),
        text: text(event, "output").unwrap_or_default().to_owned(),
        failure,
    })
}
