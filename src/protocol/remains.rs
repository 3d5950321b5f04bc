//! What tasks left on the disk, and giving it up.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{
    ids::{ExecutionNumber, TaskNumber, Timestamp},
    vocabulary::Kept,
};

/// `GET /v1/remains`: what stands on the disk of tasks that have ended. Paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemainsReply {
    /// What each of them left, the one that ended first at first.
    pub tasks: Vec<Remains>,
    /// What was given up before and still stands there.
    pub given_up: Vec<PathBuf>,
    /// Work that was put into projects as no branch: of runs without a good end, and of patches.
    pub kept: Vec<KeptIn>,
    /// Branches that callbox made of the work of completed tasks, of which no task that waits is to start.
    pub branches: Vec<DeliveredBranch>,
}

/// A branch as it was delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveredBranch {
    /// The task.
    pub task: TaskNumber,
    /// When it ended.
    pub ended_at: Timestamp,
    /// The root of the project.
    pub project: PathBuf,
    /// Without `refs/heads/`.
    pub branch: String,
    /// The delivered commit.
    pub head: String,
}

/// What one ended task left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remains {
    /// The task.
    pub task: TaskNumber,
    /// Its name.
    pub name: String,
    /// Its state.
    pub state: String,
    /// When it ended.
    pub ended_at: Timestamp,
    /// Its project.
    pub project: Option<PathBuf>,
    /// Whether its sandboxes hold submodules.
    pub submodules: bool,
    /// Why all of it must stay, where it must.
    pub needed: Option<String>,
    /// Its sandboxes.
    pub sandboxes: Vec<PathBuf>,
    /// What stands beside them, and what is kept of its runs.
    pub others: Vec<PathBuf>,
    /// What was handed over or kept of its work, the last one last.
    pub handed: Vec<HandedOver>,
    /// Its work, where that was handed over as a patch: it is kept in the project before its sandbox goes.
    pub patched: Option<Patched>,
}

/// Work that no commit of the project has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patched {
    /// The run under whose number it is to be kept.
    pub execution: ExecutionNumber,
    /// The sandbox that has its commits.
    pub sandbox: PathBuf,
    /// The commit that it started from.
    pub base: String,
    /// Its last commit.
    pub head: String,
}

/// A commit that was handed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedOver {
    /// The commit.
    pub head: String,
    /// The patch that it was handed over as.
    pub patch: Option<PathBuf>,
}

/// Work that is kept in a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptIn {
    /// The project.
    pub project: PathBuf,
    /// The reference.
    pub reference: String,
    /// The commit.
    pub head: String,
}

/// `POST /v1/tasks/{task}/sweep`: nobody will work with what the task left any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepRequest {
    /// When the task ended, as whoever looked at what it left was told.
    pub ended_at: Timestamp,
    /// What was kept of it in its project for that.
    pub kept: Option<KeptNow>,
}

/// Work of a run that stands in its project from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptNow {
    /// The run.
    pub execution: ExecutionNumber,
    /// Its work.
    pub kept: Kept,
}

/// The answer to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepReply {
    /// The task.
    pub task: TaskNumber,
}
