//! What came of an export or an import.

use std::{fmt::Write as _, path::PathBuf};

use serde::Serialize;

use crate::{
    cli::sanitise,
    ids::{TaskNumber, UniqueId},
};

/// The JSON of `callbox export --json`.
#[derive(Debug, Serialize)]
pub(crate) struct Exported {
    /// The archive; absolute.
    pub(crate) file: PathBuf,
    /// Its bytes.
    pub(crate) bytes: u64,
    /// Whether it is signed.
    pub(crate) signed: bool,
    /// Whether it is encrypted.
    pub(crate) encrypted: bool,
    /// What is in it.
    pub(crate) tasks: Vec<Moved>,
}

/// The JSON of `callbox import --json`.
#[derive(Debug, Serialize)]
pub(crate) struct Taken {
    /// What was taken.
    pub(crate) tasks: Vec<Moved>,
}

/// One task.
#[derive(Debug, Serialize)]
pub(crate) struct Moved {
    /// Its number here.
    pub(crate) number: TaskNumber,
    /// Its number where it came from.
    pub(crate) was: TaskNumber,
    /// UUIDv7.
    pub(crate) id: UniqueId,
    /// Its name.
    pub(crate) name: String,
    /// Its state.
    pub(crate) state: String,
    /// Whether its sandbox goes along.
    pub(crate) sandbox: bool,
    /// Whether its conversation does.
    pub(crate) conversation: bool,
}

/// A line for each.
pub(crate) fn lines(tasks: &[Moved]) -> String {
    let mut text = String::new();
    for task in tasks {
        let along = match (task.sandbox, task.conversation) {
            (true, true) => "with its sandbox and its conversation",
            (true, false) => "with its sandbox; its conversation begins anew and is told everything again",
            (false, _) => "begins in a new sandbox",
        };
        let was = if task.was == task.number { String::new() } else { format!(" (there {})", task.was) };
        let name = sanitise::line(&task.name);
        let _ = writeln!(text, "{}{was}  {}  {name}  {along}", task.number, task.state);
    }
    text
}

impl Exported {
    /// For people.
    pub(crate) fn text(&self) -> String {
        lines(&self.tasks) + &sanitise::line(&self.file.to_string_lossy()) + "\n"
    }
}

impl Taken {
    /// For people.
    pub(crate) fn text(&self) -> String {
        lines(&self.tasks)
    }
}
