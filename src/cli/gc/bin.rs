//! The two trashes of a state directory, and what goes into them.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::fault_point::Point;
use crate::{layout::StateDir, process::FaultPoints, sandbox::Trash};

/// Each stands in the folder whose contents it takes.
#[derive(Debug)]
pub(super) struct Bin {
    sandboxes: Trash,
    executions: Trash,
    executions_folder: PathBuf,
    faults: FaultPoints,
}

/// What could not be removed.
#[derive(Debug)]
pub(super) struct NotRemoved {
    path: PathBuf,
    error: io::Error,
}

impl std::fmt::Display for NotRemoved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` could not be removed: {}", self.path.display(), self.error)
    }
}

impl Bin {
    /// Of `state`.
    pub(super) fn of(state: &StateDir) -> Self {
        Self {
            sandboxes: Trash::at(state.sandbox_trash()),
            executions: Trash::at(state.execution_trash()),
            executions_folder: state.executions(),
            faults: FaultPoints::read(),
        }
    }

    /// The bytes that an earlier removal left in them.
    pub(super) fn size(&self) -> u64 {
        self.sandboxes.size().saturating_add(self.executions.size())
    }

    /// The store has just given up what is to be taken next.
    pub(super) fn given_up(&self) {
        self.faults.pass(Point::GivenUp);
    }

    /// Moves everything at `paths` into them.
    pub(super) fn take<'p>(&self, paths: impl IntoIterator<Item = &'p Path>) -> Vec<NotRemoved> {
        let mut left = Vec::new();
        for path in paths {
            let trash =
                if path.starts_with(&self.executions_folder) { &self.executions } else { &self.sandboxes };
            match trash.take(path) {
                Ok(()) => self.faults.pass(Point::Moved),
                Err(error) => left.push(NotRemoved { path: path.to_owned(), error }),
            }
        }
        left
    }

    /// Removes all that is in them.
    pub(super) fn empty(&self) -> Vec<NotRemoved> {
        let both = [&self.sandboxes, &self.executions].into_iter();
        let failed = both.filter_map(|trash| {
            let error = trash.empty(|| self.faults.pass(Point::Removed)).err()?;
            Some(NotRemoved { path: trash.folder().to_owned(), error })
        });
        failed.collect()
    }
}
