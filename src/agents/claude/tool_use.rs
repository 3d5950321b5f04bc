//! A call of a tool, as a person wants to see it.

use serde_json::Value;

use super::event::text;
use crate::agents::{
    mcp_config::SERVER_NAME,
    telling::{call_line, telling},
};

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
    /// Reads a `tool_use` block.
    pub(super) fn read(block: &Value) -> Option<Self> {
        Some(Self {
            id: text(block, "id")?.to_owned(),
            tool: text(block, "name")?.to_owned(),
            input: telling(block.get("input").unwrap_or(&Value::Null)),
        })
    }

    /// Whether it is a call of one of the four tools.
    pub(super) fn is_own(&self) -> bool {
        self.own_name().is_some()
    }

    /// Whether the MCP server called `server` has the tool.
    pub(super) fn is_of(&self, server: &str) -> bool {
        let tool = self.tool.strip_prefix("mcp__").and_then(|rest| rest.strip_prefix(server));
        tool.is_some_and(|tool| tool.starts_with("__"))
    }

    fn own_name(&self) -> Option<&str> {
        self.tool.strip_prefix("mcp__")?.strip_prefix(SERVER_NAME)?.strip_prefix("__")
    }

    /// The call in one line, such as `Bash: cargo test`. callbox's own tools go by their own names.
    pub(super) fn line(&self) -> String {
        call_line(self.own_name().unwrap_or(&self.tool), &self.input)
    }
}
