//! One run, as an adapter is told of it.

use std::{collections::BTreeMap, path::Path};

use crate::{
    ids::{ExecutionNumber, Secret, UniqueId},
    vocabulary::{Isolation, McpServer, Message, Permissions},
};

/// Everything an adapter needs to know of one run. All paths are absolute.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// The agent program, found.
    pub program: &'a Path,
    /// The directory the agent works in.
    pub directory: &'a Path,
    /// The execution's own folder, mode 0700, outside `directory`.
    pub folder: &'a Path,
    /// The shim.
    pub shim: &'a Path,
    /// The socket of the store's agent plane.
    pub socket: &'a Path,
    /// What the shim proves itself with.
    pub token: &'a Secret,
    /// The execution.
    pub execution: ExecutionNumber,
    /// The model asked for.
    pub model: Option<&'a str>,
    /// What the agent may do.
    pub permissions: Permissions,
    /// What holds the agent and all that it starts.
    pub isolation: &'a Isolation,
    /// The environment of the run, without what the adapter adds.
    pub environment: &'a BTreeMap<String, Secret>,
    /// Options of the task for agent programs, by name.
    pub options: &'a BTreeMap<String, String>,
    /// MCP servers of the person's own, to be given beside the shim.
    pub servers: &'a [McpServer],
    /// The values of the variables they name.
    pub values: &'a BTreeMap<String, Secret>,
    /// Dollars the run may use, where they are limited.
    pub cost_left_usd: Option<f64>,
    /// Which conversation to hold.
    pub session: Session<'a>,
    /// What to say to the agent; begins with callbox's own words, and the adapter writes foreign
    /// passages so that its program takes them as text.
    pub message: &'a Message,
    /// The standing instructions of callbox.
    pub preamble: &'a str,
    /// Whose rights the agent will have.
    pub user: User,
}

/// Which conversation a run holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Session<'a> {
    /// A new one, under this id where the program lets it be chosen.
    New(UniqueId),
    /// The one the program knows by this id.
    Resume(&'a str),
}

/// Whose rights a process has. Some programs refuse to go unattended as root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum User {
    /// The superuser.
    Root,
    /// Anyone else.
    Ordinary,
}

impl User {
    /// Whoever runs this process.
    pub fn current() -> Self {
        if rustix::process::geteuid().is_root() { Self::Root } else { Self::Ordinary }
    }
}
