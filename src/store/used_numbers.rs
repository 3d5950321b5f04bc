//! Numbers that stand on the disk are never given again.
//!
//! A database that was put back from a copy knows nothing of the tasks and executions behind it. Their folders are still
//! there, and a sandbox or a log that belongs to another run is nobody's to go on from.

use std::{fs, io, path::Path};

use super::{engine::Engine, failure::Failure};
use crate::{
    database::{
        Read, Write,
        rows::{
            sequence::{self, Numbered},
            task,
        },
    },
    layout::StateDir,
    protocol::error::ApiError,
};

/// A folder that is called by a number further ahead than this was not made by callbox.
const AHEAD: u64 = 1_000_000;

/// Questions that are passed over. More than any copy is older by.
const QUESTIONS: u64 = 1_000;

/// What the folders say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Used {
    tasks: u64,
    executions: u64,
}

impl Used {
    /// Read from `state`.
    pub(super) fn in_state(state: &StateDir) -> io::Result<Self> {
        let highest = |folder: &Path| Ok::<_, io::Error>(numbers(folder)?.into_iter().max().unwrap_or(0));
        Ok(Self { tasks: highest(&state.sandboxes())?, executions: highest(&state.executions())? })
    }
}

impl Engine {
    /// Goes on behind `used`, before anything is claimed.
    pub(super) async fn pass_used_numbers(&self, used: Used) -> Result<(), ApiError> {
        let (tasks, executions) = self
            .read(move |read| {
                let behind = |of, used| is_behind(read, of, used);
                Ok((behind(Numbered::Tasks, used.tasks)?, behind(Numbered::Executions, used.executions)?))
            })
            .await?;
        if !tasks && !executions {
            return Ok(());
        }
        tracing::warn!(
            "the database is older than what stands beside it; numbers that are used there are passed over"
        );
        let state = self.state().clone();
        self.write_unannounced(move |write| {
            if tasks {
                sequence::raise(write, Numbered::Tasks, used.tasks)?;
            }
            if executions {
                sequence::raise(write, Numbered::Executions, used.executions)?;
            }
            // How many were asked nobody knows, and an answer must not go to another question than was read.
            let asked = sequence::last(write, Numbered::Questions)?;
            sequence::raise(write, Numbered::Questions, asked + QUESTIONS)?;
            pass_used_sandboxes(write, &state)
        })
        .await
    }
}

fn is_behind(read: &Read<'_>, of: Numbered, used: u64) -> Result<bool, Failure> {
    let last = sequence::last(read, of)?;
    Ok(used > last && used <= last + AHEAD)
}

/// The same for the sandboxes of each task that the database does know.
fn pass_used_sandboxes(write: &mut Write<'_>, state: &StateDir) -> Result<(), Failure> {
    for mut row in task::all(write)? {
        let folder = state.sandboxes().join(row.number.value().to_string());
        let used = numbers(&folder).unwrap_or_default().into_iter().max().unwrap_or(0);
        let used = u32::try_from(used).unwrap_or(0);
        if used > row.sandboxes {
            row.sandboxes = used;
            task::save(write, &row)?;
        }
    }
    Ok(())
}

/// The numbers that something in `folder` is called by; none where it is missing.
fn numbers(folder: &Path) -> io::Result<Vec<u64>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries
            .map(|entry| Ok(entry?.file_name().to_str().and_then(|name| name.parse().ok())))
            .filter_map(Result::transpose)
            .collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_that_are_called_by_a_number_count() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateDir::at(folder.path());
        assert_eq!(Used::in_state(&state).unwrap(), Used { tasks: 0, executions: 0 });
        for name in ["sandboxes/trash", "sandboxes/9", "sandboxes/12", "sandboxes/x13", "executions/31"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        assert_eq!(Used::in_state(&state).unwrap(), Used { tasks: 12, executions: 31 });
    }
}
