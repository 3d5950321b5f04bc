//! What came of it, as it is shown.

use std::path::PathBuf;

use serde::Serialize;

use super::choose::{Fate, Why};
use crate::ids::{TaskNumber, Timestamp};

/// The JSON of `callbox gc --json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Collected {
    /// Whether it was only looked at.
    pub(crate) dry_run: bool,
    /// What went, the task that ended first at first.
    pub(crate) removed: Vec<Removed>,
    /// What stays although it was its turn.
    pub(crate) stays: Vec<Stays>,
    /// Bytes that an earlier removal had left.
    pub(crate) unfinished: u64,
    /// Bytes that all of that took.
    pub(crate) freed: u64,
    /// Bytes that sandboxes and logs take now.
    pub(crate) taken: u64,
    /// Works that are kept in projects as no branch.
    pub(crate) kept: usize,
    /// callbox's own branches that went, since they are merged.
    pub(crate) branches: Vec<RemovedBranch>,
    /// What could not be removed, each with its reason.
    pub(crate) failed: Vec<String>,
}

/// A branch of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct RemovedBranch {
    pub(crate) task: TaskNumber,
    pub(crate) project: PathBuf,
    pub(crate) branch: String,
}

/// What one task left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Removed {
    pub(crate) task: TaskNumber,
    pub(crate) name: String,
    pub(crate) state: String,
    pub(crate) ended_at: Timestamp,
    pub(crate) why: &'static str,
    pub(crate) bytes: u64,
}

/// What stays of one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Stays {
    pub(crate) task: TaskNumber,
    pub(crate) name: String,
    pub(crate) reason: String,
    pub(crate) droppable: bool,
    pub(crate) sandboxes: Vec<PathBuf>,
    pub(crate) bytes: u64,
}

impl Removed {
    pub(super) fn of(fate: &Fate<'_>, why: Why) -> Self {
        let remains = fate.remains;
        Self {
            task: remains.task,
            name: remains.name.clone(),
            state: remains.state.clone(),
            ended_at: remains.ended_at,
            why: why.name(),
            bytes: fate.size,
        }
    }
}

impl Stays {
    pub(super) fn of(fate: &Fate<'_>, reason: String) -> Self {
        let remains = fate.remains;
        Self {
            task: remains.task,
            name: remains.name.clone(),
            reason,
            droppable: remains.needed.is_none(),
            sandboxes: remains.sandboxes.clone(),
            bytes: fate.size,
        }
    }
}
