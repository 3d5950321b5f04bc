//! One item of a turn: what the model said or did, or what Codex itself has to say.

use serde_json::Value;

use super::event::text;
use crate::agents::{
    mcp_config::SERVER_NAME,
    shorten::shorten,
    telling::{SHOWN, call_line, telling},
};

/// What an item is. Fields that are missing or of another type than expected read as absent.
#[derive(Debug, PartialEq)]
pub(super) enum Item {
    /// The model spoke.
    Words(String),
    /// It ran a command.
    Command {
        /// The command, in one line.
        command: String,
        /// What it printed so far.
        output: String,
        /// The status it ended with.
        exit: Option<i64>,
        /// How it stands.
        standing: Standing,
    },
    /// It changed files.
    Change {
        /// Which, in one line.
        paths: String,
        /// How that stands.
        standing: Standing,
    },
    /// It called a tool of an MCP server.
    Call(Call),
    /// Codex itself says that something is not as it should be.
    Trouble(String),
    /// Something else of the model's, such as what it thinks.
    Other,
}

/// A call of a tool of an MCP server.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    /// The server's name.
    pub(super) server: String,
    /// The tool's.
    pub(super) tool: String,
    /// What it is to do, in one line.
    pub(super) input: String,
    /// What it answered.
    pub(super) answer: String,
    /// Why it could not be made.
    pub(super) error: Option<String>,
}

/// How something stands that takes a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It goes on.
    Begun,
    /// It is over.
    Done,
    /// It failed.
    Failed,
    /// It was not allowed.
    Declined,
}

impl Item {
    /// Reads an item; `None` where it is none.
    pub(super) fn read(item: &Value) -> Option<Self> {
        let standing = match text(item, "status") {
            Some("in_progress") => Standing::Begun,
            Some("failed") => Standing::Failed,
            Some("declined") => Standing::Declined,
            _ => Standing::Done,
        };
        Some(match text(item, "type")? {
            "agent_message" => Self::Words(text(item, "text")?.to_owned()),
            "command_execution" => Self::Command {
                command: shorten(unwrapped(text(item, "command").unwrap_or_default()), SHOWN),
                output: text(item, "aggregated_output").unwrap_or_default().to_owned(),
                exit: item.get("exit_code").and_then(Value::as_i64),
                standing,
            },
            "file_change" => {
                let changes = item.get("changes").and_then(Value::as_array).into_iter().flatten();
                let paths: Vec<&str> = changes.filter_map(|change| text(change, "path")).collect();
                Self::Change { paths: shorten(&paths.join(", "), SHOWN), standing }
            }
            "mcp_tool_call" => Self::Call(Call {
                server: text(item, "server")?.to_owned(),
                tool: text(item, "tool")?.to_owned(),
                input: telling(item.get("arguments").unwrap_or(&Value::Null)),
                answer: answer(item),
                error: item.get("error").and_then(|error| text(error, "message")).map(str::to_owned),
            }),
            "error" => Self::Trouble(text(item, "message")?.to_owned()),
            _ => Self::Other,
        })
    }

    /// What the model does in it, in one line such as `exec_command: cargo test`; `None` where it only speaks or
    /// thinks.
    pub(super) fn line(&self) -> Option<String> {
        let (tool, input) = match self {
            Self::Command { command, .. } => ("exec_command".to_owned(), command),
            Self::Change { paths, .. } => ("apply_patch".to_owned(), paths),
            Self::Call(call) if call.server == SERVER_NAME => (call.tool.clone(), &call.input),
            Self::Call(call) => (call.full_name(), &call.input),
            Self::Words(_) | Self::Trouble(_) | Self::Other => return None,
        };
        Some(call_line(&tool, input))
    }
}

impl Call {
    /// As the model calls it.
    pub(super) fn full_name(&self) -> String {
        format!("mcp__{}__{}", self.server, self.tool)
    }
}

/// Codex runs commands as `/bin/bash -lc '…'`.
fn unwrapped(command: &str) -> &str {
    let Some((_, inner)) = command.split_once(" -lc ") else { return command };
    let quoted = ['\'', '"'].into_iter().find_map(|quote| inner.strip_prefix(quote)?.strip_suffix(quote));
    quoted.unwrap_or(inner)
}

fn answer(item: &Value) -> String {
    let blocks = item.get("result").and_then(|result| result.get("content")).and_then(Value::as_array);
    blocks.into_iter().flatten().filter_map(|block| text(block, "text")).collect::<Vec<_>>().join("\n")
}
