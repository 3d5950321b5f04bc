//! Tasks that leave one state directory and arrive in another.
//!
//! Rows are the store's own: whoever carries them looks at none of them. They travel as a file, since a body is shorter.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::launch::Standing;
use crate::ids::{TaskNumber, UniqueId};

/// `POST /v1/export`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportRequest {
    /// Tasks; their whole trees go along, and so do those that they come after.
    pub tasks: Vec<TaskNumber>,
}

/// What goes along.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExportReply {
    /// The rows.
    pub rows: Value,
    /// Each task, by its number.
    pub tasks: Vec<Departing>,
}

/// A task that goes along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Departing {
    /// Its number here.
    pub number: TaskNumber,
    /// Its identity everywhere.
    pub id: UniqueId,
    /// Its name.
    pub name: String,
    /// Its state.
    pub state: String,
    /// The agent program's name.
    pub agent: String,
    /// Absolute path of its project.
    pub project: Option<PathBuf>,
    /// Absolute path of the sandbox that it would go on in.
    pub sandbox: Option<PathBuf>,
    /// The conversation that it would go on with there.
    pub session: Option<String>,
}

/// `POST /v1/import/check`: is looked at as a whole, and numbers are set apart for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrivalRequest {
    /// Absolute path of a file with the rows.
    pub file: PathBuf,
}

/// What would be taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrivalReply {
    /// Each task, by its number there.
    pub tasks: Vec<Arriving>,
}

/// A task that would be taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arriving {
    /// Its identity everywhere.
    pub id: UniqueId,
    /// Its number there.
    pub was: TaskNumber,
    /// The number set apart for it here.
    pub number: TaskNumber,
    /// Its name.
    pub name: String,
    /// The agent program's name.
    pub agent: String,
    /// Absolute path of its project there.
    pub project: Option<PathBuf>,
    /// Absolute path of where the sandbox is to stand that it would go on in, if it had one.
    pub sandbox: Option<PathBuf>,
    /// The conversation that it would go on with there.
    pub session: Option<String>,
    /// The branch that its agent is to stand on.
    pub branch: String,
    /// Where its work was delivered last, if it was.
    pub delivered: Option<Standing>,
    /// What a new sandbox gets of the project besides a clone.
    pub copy: Vec<PathBuf>,
    /// Folders that it has alone.
    pub sparse: Vec<PathBuf>,
    /// Whether its submodules are filled.
    pub submodules: bool,
}

/// `POST /v1/import`: all tasks are taken, or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportRequest {
    /// Absolute path of a file with the same rows.
    pub file: PathBuf,
    /// Each task.
    pub tasks: Vec<Placed>,
}

/// What was made for a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placed {
    /// The task.
    pub id: UniqueId,
    /// The number that was set apart for it.
    pub number: TaskNumber,
    /// Absolute path of its project here.
    pub project: Option<PathBuf>,
    /// Whether its sandbox stands.
    pub sandbox: bool,
}

/// What was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportReply {
    /// Each task, by its number there.
    pub tasks: Vec<Imported>,
}

/// A task that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// Its number here.
    pub number: TaskNumber,
    /// Its number there.
    pub was: TaskNumber,
    /// Its identity everywhere.
    pub id: UniqueId,
    /// Its name.
    pub name: String,
    /// Its state.
    pub state: String,
}
