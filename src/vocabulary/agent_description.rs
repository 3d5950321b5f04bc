//! How an agent program is run that callbox has no adapter of its own for, as a description says it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{LineRule, Permissions};

/// A description of one agent program: shipped with callbox, or a person's own. It is trusted like the rest of the
/// configuration; what the program says is not. Its values may hold the [`PLACEHOLDERS`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentDescription {
    /// How it is talked to.
    #[serde(default)]
    pub protocol: AgentProtocol,
    /// The program, by its name on the PATH, and behind it the arguments of every run.
    pub command: Vec<String>,
    /// Arguments of a run that begins a conversation.
    pub fresh: Vec<String>,
    /// Arguments of a run that goes on with one. Without them no conversation goes on: all is told again.
    pub resume: Option<Vec<String>>,
    /// Arguments that name the model. Without them a task that names one is refused.
    pub model_arguments: Vec<String>,
    /// Variables that the program reads its keys, endpoints and configuration folders from.
    pub variables: Vec<String>,
    /// Variables with the values that every run is given.
    pub environment: BTreeMap<String, String>,
    /// Files that every run finds in the folder of its execution, by their names.
    pub files: BTreeMap<String, String>,
    /// Folders in which the program keeps its sessions, its login and the like: absolute, or below the home (`~/…`).
    pub folders: Vec<String>,
    /// The signal on which the program ends its turn.
    pub stop_signal: StopWord,
    /// Arguments that make the program print its version and end; without any it is not asked.
    pub version: Vec<String>,
    /// Arguments that hold the program to what it may do. What is missing here is refused.
    pub permissions: BTreeMap<Permissions, Vec<String>>,
    /// In which form it is told of MCP servers.
    pub mcp: McpForm,
    /// Fields of each server that only this program knows.
    pub mcp_fields: Map<String, Value>,
    /// How it names a tool of callbox's to its model, where `{tool}` is the tool.
    pub tool: Option<String>,
    /// What it says on standard error of a conversation that is gone.
    pub session_unknown: Vec<String>,
    /// What the JSON lines mean that it writes.
    pub lines: Vec<LineRule>,
}

/// What stands for something of the run in a description's arguments, variables and files.
pub const PLACEHOLDERS: [&str; 7] =
    ["{mcp_file}", "{folder}", "{directory}", "{session}", "{model}", "{shim}", "{home}"];

/// How a described program is talked to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentProtocol {
    /// It is told all on standard input, and writes JSON lines.
    #[default]
    Lines,
    /// By the Agent Client Protocol.
    Acp,
}

/// The signal that makes a described program end its turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopWord {
    /// SIGINT.
    Interrupt,
    /// SIGTERM.
    #[default]
    Terminate,
}

/// The form of the file that tells a program of MCP servers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum McpForm {
    /// `{"mcpServers": {NAME: {"command", "args", "env"}}}`, which most programs read.
    #[default]
    #[serde(rename = "mcpServers")]
    McpServers,
    /// `{"mcp": {NAME: {"type": "local", "command": […], "environment"}}}`.
    #[serde(rename = "opencode")]
    Opencode,
    /// It speaks no MCP: it is told of `callbox-mcp call`, and its runs have what that needs in their environment.
    #[serde(rename = "none")]
    None,
}
