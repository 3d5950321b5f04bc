//! Where a subtask starts from: the commit its parent stood on when it was spawned.
//!
//! The store reads no sandbox. It orders the parent's supervisor to name the commit; until that has
//! happened the tool does not answer, so that the agent cannot commit on, and the subtask is not
//! claimed. A supervisor that can't say holds up neither for longer than its own run.

use std::time::Duration;

use super::{engine::Engine, failure::Failure};
use crate::{
    database::{
        Read, Write,
        rows::{
            execution::{self, ExecutionRow, ExecutionState},
            task::{self, TaskRow},
        },
    },
    ids::{ExecutionNumber, TaskNumber},
    protocol::error::ApiError,
};

/// How long `spawn_subtask` waits for the commit: a supervisor answers within milliseconds, and one
/// that is gone must not hold up the agent.
const PATIENCE: Duration = Duration::from_secs(2);

/// The subtasks whose commit `run` is to name.
pub(super) fn wanted(read: &Read<'_>, run: &ExecutionRow) -> Result<Vec<TaskNumber>, Failure> {
    if run.state != ExecutionState::Running || run.sandbox.is_none() {
        return Ok(Vec::new());
    }
    let children = task::children(read, run.task)?.into_iter();
    Ok(children
        .filter(|child| is_unnamed(child, run) && !child.state.is_end())
        .map(|child| child.number)
        .collect())
}

/// Whether it is known where `row` starts, or nobody is there any more who could say.
pub(super) fn is_settled(read: &Read<'_>, row: &TaskRow) -> Result<bool, Failure> {
    let Some(parent) = row.parent.filter(|_| row.spawn_base.is_some()) else { return Ok(true) };
    let runs = execution::of_task(read, parent)?;
    Ok(!runs.iter().any(|run| run.state == ExecutionState::Running && is_unnamed(row, run)))
}

/// Keeps the `commit` from which `subtask` starts, as the supervisor of `run` named it. Another commit
/// for the same subtask changes nothing.
pub(super) fn name(
    write: &mut Write<'_>,
    run: &ExecutionRow,
    subtask: TaskNumber,
    commit: &str,
) -> Result<(), Failure> {
    let whole = matches!(commit.len(), 40 | 64) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    let row = task::get(write, subtask)?.filter(|row| whole && row.parent == Some(run.task));
    let Some(mut row) = row.filter(|row| is_unnamed(row, run)) else { return Ok(()) };
    if let Some(base) = &mut row.spawn_base {
        base.commit = Some(commit.to_owned());
    }
    Ok(task::save(write, &row)?)
}

/// Waits until the supervisor of `number` has named every commit it owes.
pub(super) async fn named(engine: &Engine, number: ExecutionNumber) -> Result<(), ApiError> {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    let mut decisions = engine.decisions();
    loop {
        let owed = engine.read(move |read| {
            let run = execution::get(read, number)?.ok_or_else(|| Failure::unknown(number))?;
            wanted(read, &run)
        });
        if owed.await?.is_empty() {
            return Ok(());
        }
        tokio::select! {
            _ = decisions.changed() => {}
            () = tokio::time::sleep_until(deadline) => return Ok(()),
            () = engine.stop().cancelled() => return Ok(()),
        }
    }
}

fn is_unnamed(row: &TaskRow, run: &ExecutionRow) -> bool {
    row.spawn_base
        .as_ref()
        .is_some_and(|base| base.commit.is_none() && Some(&base.sandbox) == run.sandbox.as_ref())
}
