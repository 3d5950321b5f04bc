//! A call of a tool, as a person wants to see it.

use serde_json::Value;

use super::event::text;
use crate::agents::{mcp_config::SERVER_NAME, shorten::shorten};

/// The argument of a tool that says most.
const TELLING: [&str; 12] = [
    "command",
    "file_path",
    "notebook_path",
    "pattern",
    "url",
    "query",
    "question",
    "summary",
    "name",
    "message",
    "description",
    "path",
];

/// How much of an input is shown.
pub(super) const SHOWN: usize = 200;

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToolUse {
    /// The call.
    pub(super) id: String,
    /// The tool's name.
    pub(super) tool: String,
    /// What it is to do, shortened to one line of at most [`SHOWN`] characters.
    pub(super) input: String,
}

impl ToolUse {
    /// Reads a `tool_use` block.
    pub(super) fn read(block: &Value) -> Option<Self> {
        Some(Self {
            id: text(block, "id")?.to_owned(),
            tool: text(block, "name")?.to_owned(),
            input: input(block.get("input").unwrap_or(&Value::Null)),
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
        let tool = self.own_name().unwrap_or(&self.tool);
        shorten(
            &if self.input.is_empty() { tool.to_owned() } else { format!("{tool}: {}", self.input) },
            SHOWN,
        )
    }
}

/// What a tool is to do, in one line.
pub(super) fn input(arguments: &Value) -> String {
    let telling = TELLING.into_iter().find_map(|key| text(arguments, key));
    match (telling, arguments) {
        (Some(telling), _) => shorten(telling, SHOWN),
        (None, Value::Object(fields)) if fields.is_empty() => String::new(),
        (None, Value::Null) => String::new(),
        (None, other) => shorten(&other.to_string(), SHOWN),
    }
}
