//! Giving up what a task left on the disk.
//!
//! It is recorded before anything is moved: from then on no run works in those sandboxes nor reads those folders,
//! whether they still stand there or not, so that removing them can be broken off at any point and taken up again.

use super::{
    failure::Failure,
    news::News,
    remains::{remains_view, supervised},
    transition::Occasion,
};
use crate::{
    database::{
        Read, Write,
        rows::{execution, task},
    },
    domain::may_go,
    ids::TaskNumber,
    protocol::{
        error::ErrorCode,
        remains::{KeptNow, SweepRequest},
    },
};

/// Gives up what the task `number` left, unless it has gone on since `request` was decided or somebody needs it.
/// What was kept of it is known from then on.
pub(super) fn sweep(
    write: &mut Write<'_>,
    number: TaskNumber,
    request: SweepRequest,
    occasion: &Occasion,
) -> Result<(), Failure> {
    let mut row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    let refused =
        |reason: &str| Failure::refused(ErrorCode::Refused, format!("what `{number}` left stays: {reason}"));
    may_go(&remains_view(write, &row, &supervised(write)?)?)
        .map_err(|reason| refused(&reason.to_string()))?;
    if row.updated_at != request.ended_at {
        return Err(refused("the task has gone on meanwhile"));
    }
    let last = execution::last_of(write, number)?.map(|run| run.number);
    if (row.swept_sandboxes, row.swept_executions) == (row.sandboxes, last) {
        return Err(refused("it was given up already, and whoever did that removes it"));
    }
    if let Some(KeptNow { execution, kept }) = request.kept {
        let run = execution::get(write, execution)?.filter(|run| run.task == number);
        let mut run = run.ok_or_else(|| Failure::unknown(execution))?;
        run.details.kept = Some(kept);
        execution::save(write, &run)?;
    }
    (row.swept_sandboxes, row.swept_executions) = (row.sandboxes, last);
    task::save(write, &row)?;
    News::of_task(number, "swept").tell(write, "its sandbox and its logs are removed", occasion)
}

/// Whether the sandbox that a resume of the task `number` would go on in was given up.
pub(super) fn is_swept(read: &Read<'_>, number: TaskNumber) -> Result<bool, Failure> {
    let Some(row) = task::get(read, number)? else { return Ok(false) };
    let last = execution::last_with_sandbox(read, number)?;
    Ok(last.is_some_and(|run| {
        // Outside of the state directory it is a person's own, which nobody gives up.
        run.sandbox.is_some_and(|path| path.is_relative()) && row.is_swept(run.number)
    }))
}
