//! How an agent program is run that callbox has no adapter of its own for, as a description says it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Permissions;

/// A description of one agent program: shipped with callbox, or a person's own. It is trusted like the rest of the
/// configuration; what the program says is not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentDescription {
    /// The program, by its name on the PATH, and behind it the arguments of every run.
    pub command: Vec<String>,
    /// Variables that the program reads its keys, endpoints and configuration folders from.
    pub variables: Vec<String>,
    /// Variables with the values that every run is given.
    pub environment: BTreeMap<String, String>,
    /// Folders in which the program keeps its sessions, its login and the like: absolute, or below the home.
    pub folders: Vec<String>,
    /// The signal on which the program ends its turn.
    pub stop_signal: StopWord,
    /// Arguments that make the program print its version and end; without any it is not asked.
    pub version: Vec<String>,
    /// Arguments that hold the program to what it may do. What is missing here is refused.
    pub permissions: BTreeMap<Permissions, Vec<String>>,
    /// How it is talked to.
    pub speaks: Speaks,
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

/// How a described program is talked to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "protocol", rename_all = "snake_case")]
pub enum Speaks {
    /// By the Agent Client Protocol, on standard input and output.
    Acp,
}
