//! How an agent program is to be started.

use std::{collections::BTreeMap, ffi::OsString, path::PathBuf};

use crate::ids::Secret;

/// A command line with what belongs to it. Nothing secret and no word of the task stands in
/// `arguments`: every user of the machine can read them.
#[derive(Debug, Clone)]
pub struct AgentCommand {
    /// What to execute.
    pub program: PathBuf,
    /// Its arguments, without the program's own name.
    pub arguments: Vec<OsString>,
    /// Variables in addition to those every agent is given; these win.
    pub environment: BTreeMap<String, Secret>,
    /// The whole standard input; its end follows.
    pub input: Vec<u8>,
    /// What it may do in the directory it works in.
    pub reach: Reach,
    /// To be written with mode 0600 before the start and removed after the end.
    pub files: Vec<PrivateFile>,
}

/// What callbox's own isolation, where it holds the run, lets an agent program do in its directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// All: what the program itself does not hold back is allowed.
    Write,
    /// Nothing but to look: the program cannot see to that itself under isolation.
    Read,
}

/// A file only the agent's own user may read.
#[derive(Debug, Clone)]
pub struct PrivateFile {
    /// Absolute, inside the execution's folder.
    pub path: PathBuf,
    /// What it holds.
    pub contents: Secret,
}
