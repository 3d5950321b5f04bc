//! What every agent program's adapter answers.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    AgentCommand, Beforehand, Launch, OwnPlace, Reader, Rehearsal, Shelf, Shelved, Talk, Trap, User,
};
use crate::{
    ids::Secret,
    vocabulary::{Denial, Fault, TaskSpec},
};

/// One agent program, as callbox knows it.
pub trait Adapter: Send + Sync {
    /// The word a task names it by, such as `claude`.
    fn name(&self) -> &str;

    /// Where the program is found.
    fn program(&self) -> Program<'_>;

    /// Where the program itself may be that `found`, a path without links, only starts: the first that can be
    /// executed is taken, and where there is none, `found` itself.
    fn behind(&self, found: &Path) -> Vec<PathBuf> {
        let _ = found;
        Vec::new()
    }

    /// Which tasks may get it: one of two ways to the same program is taken only by who names it.
    fn choice(&self) -> Choice {
        Choice::Anyone
    }

    /// Variables this program reads its keys, endpoints and configuration folders from. Their
    /// values are sent with a task and given to the agent; all other variables are kept from it.
    fn variables(&self) -> Vec<&str>;

    /// Those of them that say where the program keeps what is its own. A hermetic run takes them from nowhere.
    fn place_variables(&self) -> &'static [&'static str] {
        &[]
    }

    /// The file in which this program keeps a login made by hand, in a run with `environment`; `None` where it
    /// says nothing of what kind that is.
    fn login_file(&self, environment: &BTreeMap<String, Secret>) -> Option<PathBuf> {
        let _ = environment;
        None
    }

    /// What a run with `environment` would log in with, where `login` is what that file holds: `subscription`,
    /// or the name of the variable or the file that holds the key; `None` where neither says so.
    fn credential(&self, environment: &BTreeMap<String, Secret>, login: Option<&str>) -> Option<String>;

    /// Refuses, when a task is submitted, what this program cannot do or cannot be held to.
    fn check(&self, spec: &TaskSpec, user: User) -> Result<(), Fault>;

    /// Keys of its table in the configuration that are of no use to this program, each with the reason: the end of
    /// a sentence that begins with the key.
    fn refused_keys(&self) -> &'static [(&'static str, &'static str)];

    /// The signal this program ends its turn on.
    fn stop_signal(&self) -> StopSignal;

    /// How this program names the callbox tool `tool` to its model.
    fn tool_name(&self, tool: &str) -> String;

    /// Whether the shim speaks up by itself once the program has started it. A program without MCP starts none.
    fn announces_its_tools(&self) -> bool {
        true
    }

    /// The line of a task file that would have allowed what was denied.
    fn allowing(&self, denial: &Denial) -> String;

    /// Arguments that make the program print its version and end.
    fn version_arguments(&self) -> Vec<&str>;

    /// Variables under which it does so and leaves nothing with the person, where it would; `scratch` is a folder that
    /// is thrown away.
    fn version_variables(&self, scratch: &Path) -> Vec<(&'static str, PathBuf)> {
        let _ = scratch;
        Vec::new()
    }

    /// The version within what those arguments printed.
    fn parse_version(&self, printed: &str) -> Option<String>;

    /// What the program tells of what its runs use, so that a limit on anything else can be said not to hold.
    fn reports(&self) -> Reports;

    /// Everything needed to start the program for `launch`.
    fn command(&self, launch: &Launch<'_>) -> Result<AgentCommand, Fault>;

    /// Where the program keeps its sessions, its login and the like, in a run with `environment`.
    fn own_places(&self, launch: &Launch<'_>, environment: &BTreeMap<String, Secret>) -> Vec<OwnPlace>;

    /// Where the files of a conversation stand that can be taken along to another place; `None` where there are none
    /// that another place would know, so that a fresh conversation begins there which is told everything again.
    fn shelf(&self, talk: &Talk<'_>) -> Option<Shelf> {
        let _ = talk;
        None
    }

    /// Where such a file belongs for `talk`, in its new place; `path` is what leads to it from the root of the shelf
    /// that it was taken from, and fits that.
    fn shelved(&self, path: &[String], talk: &Talk<'_>) -> Option<Shelved> {
        let _ = (path, talk);
        None
    }

    /// This program's part in a rehearsal, in a repository that would spring `trap`; `None` for what is part of
    /// callbox.
    fn rehearsal(&self, trap: &Trap<'_>) -> Option<Rehearsal>;

    /// A reader for the output of one run, of which it is told `beforehand`.
    fn reader(&self, beforehand: &Beforehand) -> Box<dyn Reader>;
}

/// Which tasks may get an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Also those that name none.
    Anyone,
    /// Those that name it.
    ByName,
}

/// What an agent program tells of its use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reports {
    /// Dollars and tokens.
    Dollars,
    /// Tokens alone.
    Tokens,
    /// Neither.
    Nothing,
}

/// Where an agent program is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program<'a> {
    /// By this name on the PATH of the run, unless the configuration names a path.
    OnPath(&'a str),
    /// callbox itself: the path of the running binary.
    BuiltIn,
}

/// The signal that makes a program end its turn and write down its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopSignal {
    /// SIGINT.
    Interrupt,
    /// SIGTERM.
    Terminate,
}
