//! What a person's configuration says of how one agent program is launched.

use std::path::PathBuf;

use super::{AgentDescription, McpServer};

/// The part of a table `[agents.NAME]` that is no default of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentSetup {
    /// Where the program is, instead of on the PATH; absolute.
    pub program: Option<PathBuf>,
    /// How it is run, where callbox has no adapter of its own for it.
    pub description: Option<AgentDescription>,
    /// Its standing instructions, in the place of callbox's.
    pub preamble: Option<String>,
    /// MCP servers that it is given beside the shim, in the order of the file.
    pub servers: Vec<McpServer>,
}
