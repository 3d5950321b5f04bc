//! A call of a tool, as a person wants to see it.

use serde_json::Value;

use super::{event::text, own_tool};
use crate::agents::telling::{call_line, telling};

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToolUse {
    /// The call.
    pub(super) id: String,
    /// The tool's name.
    pub(super) tool: String,
    /// What it is to do, in one short line.
    pub(super) input: String,
}

impl ToolUse {
    /// Reads a `tool_use` event.
    pub(super) fn read(event: &Value) -> Option<Self> {
        Some(Self {
            id: text(event, "tool_id")?.to_owned(),
            tool: text(event, "tool_name")?.to_owned(),
            input: telling(event.get("parameters").unwrap_or(&Value::Null)),
        })
    }

    /// The call in one line, such as `run_shell_command: cargo test`. callbox's own tools go by their own names.
    pub(super) fn line(&self) -> String {
        call_line(own_tool(&self.tool).unwrap_or(&self.tool), &self.input)
    }
}
