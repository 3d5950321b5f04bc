//! Takes rows that come from another state directory: looked at as a whole, stored as a whole.

use std::path::Path;

use super::{
    arrival_check::check,
    departing::going_on_from,
    failure::Failure,
    news::News,
    renumber::{Numbers, numbered, renumber},
    transition::Occasion,
};
use crate::{
    database::{
        Read, Write,
        rows::{
            execution::ExecutionRow,
            sequence::{self, Numbered},
            task::{self, TaskRow},
            tree::{self, Rows},
        },
    },
    ids::{ExecutionNumber, QuestionNumber, TaskNumber},
    layout::StateDir,
    protocol::{
        error::{ApiError, ErrorCode},
        launch::Standing,
        travel::{Arriving, Imported, Placed},
    },
    vocabulary::{Deliver, slug},
};

/// The rows in `bytes`, which may have been made by anybody.
pub(super) fn read_rows(bytes: &[u8]) -> Result<Rows, ApiError> {
    let refused = |reason: String| {
        let message = format!("the rows are not what a store writes: {reason}");
        ApiError::new(ErrorCode::Refused, message).hinted("nothing was taken; have the archive made again")
    };
    let rows: Rows = serde_json::from_slice(bytes).map_err(|error| refused(error.to_string()))?;
    check(&rows).map_err(refused)?;
    Ok(rows)
}

/// Sets numbers apart for the tasks of `rows`; how they would be taken.
pub(super) fn set_apart(
    write: &mut Write<'_>,
    state: &StateDir,
    rows: &Rows,
) -> Result<Vec<Arriving>, Failure> {
    refuse_known(write, rows)?;
    let last = sequence::last(write, Numbered::Tasks)?;
    let there = rows.tasks.iter().map(|row| row.number);
    let numbers = numbered(there, last, (TaskNumber::value, TaskNumber::new));
    let highest = numbers.values().map(|number| number.value().unsigned_abs()).max().unwrap_or(last);
    sequence::raise(write, Numbered::Tasks, highest)?;
    let arriving = rows.tasks.iter().map(|row| {
        let number = numbers.get(&row.number).copied().unwrap_or(row.number);
        arriving(state, row, rows.executions.iter().filter(|run| run.task == row.number), number)
    });
    Ok(arriving.collect())
}

fn arriving<'r>(
    state: &StateDir,
    row: &TaskRow,
    runs: impl DoubleEndedIterator<Item = &'r ExecutionRow> + Clone,
    number: TaskNumber,
) -> Arriving {
    let run = going_on_from(row, runs.clone());
    let delivery = runs.rev().find_map(|run| run.details.delivery.as_ref());
    let delivered = delivery.and_then(|delivery| {
        // One that it was merged into is the person's.
        let branch = delivery.branch.clone().filter(|branch| row.spec.merge_into.as_ref() != Some(branch))?;
        Some(Standing { branch, head: delivery.head.clone() })
    });
    let branch = match (&delivered, row.spec.deliver) {
        (Some(standing), _) => standing.branch.clone(),
        (None, Deliver::Branch) => format!("callbox/{number}-{}", slug(&row.spec.name)),
        (None, Deliver::Merge | Deliver::Patch | Deliver::None) => format!("callbox/{}", number.value()),
    };
    Arriving {
        id: row.id,
        was: row.number,
        number,
        name: row.spec.name.clone(),
        agent: run.map_or_else(|| row.spec.agent.clone(), |run| run.details.agent.clone()),
        project: row.spec.project.clone(),
        sandbox: run.and_then(sandbox_number).map(|place| state.sandbox(number, place)),
        session: run.and_then(|run| run.session.clone()),
        branch,
        delivered,
        copy: row.spec.copy.clone(),
        sparse: row.spec.sparse.clone(),
        submodules: row.spec.submodules,
    }
}

fn sandbox_number(run: &ExecutionRow) -> Option<u32> {
    run.sandbox.as_deref().and_then(Path::file_name)?.to_str()?.parse().ok()
}

/// Stores `rows` under the numbers that were set apart, as what was `placed` has it.
pub(super) fn settle(
    write: &mut Write<'_>,
    mut rows: Rows,
    placed: &[Placed],
    occasion: &Occasion,
) -> Result<Vec<Imported>, Failure> {
    refuse_known(write, &rows)?;
    let mut numbers = Numbers::default();
    let was: Vec<TaskNumber> = rows.tasks.iter().map(|row| row.number).collect();
    let last = sequence::last(write, Numbered::Tasks)?;
    for row in &mut rows.tasks {
        let placed = placed.iter().find(|placed| placed.id == row.id);
        let placed = placed.ok_or_else(|| invalid("a task has no place"))?;
        let is_apart = placed.number.value().unsigned_abs() <= last;
        if !is_apart || task::get(write, placed.number)?.is_some() {
            return Err(invalid("a number was not set apart for it"));
        }
        if numbers.tasks.values().any(|number| *number == placed.number) {
            return Err(invalid("a number was set apart for two tasks"));
        }
        numbers.tasks.insert(row.number, placed.number);
        row.spec.project.clone_from(&placed.project);
        give_up_the_rest(row, &rows.executions, placed.sandbox);
    }
    let last = sequence::last(write, Numbered::Executions)?;
    let there = rows.executions.iter().map(|run| run.number);
    numbers.executions = numbered(there, last, (ExecutionNumber::value, ExecutionNumber::new));
    let last = sequence::last(write, Numbered::Questions)?;
    let there = rows.questions.iter().map(|asked| asked.number);
    numbers.questions = numbered(there, last, (QuestionNumber::value, QuestionNumber::new));
    for run in &mut rows.executions {
        run.details.supervisor = None;
        run.unbound_until = None;
    }
    let rows = renumber(rows, &numbers);
    tree::insert(write, &rows)?;
    let mut imported = Vec::new();
    for (row, was) in rows.tasks.into_iter().zip(was) {
        let text = format!("came from another state directory, where it was {was}");
        News::of_task(row.number, "imported").tell(write, &text, occasion)?;
        let (name, state) = (row.spec.name, row.state.name().to_owned());
        imported.push(Imported { number: row.number, was, id: row.id, name, state });
    }
    Ok(imported)
}

/// Only the sandbox that the task would go on in stands, or not even that one.
fn give_up_the_rest(row: &mut TaskRow, runs: &[ExecutionRow], stands: bool) {
    let runs = runs.iter().filter(|run| run.task == row.number);
    let kept = going_on_from(row, runs.clone()).filter(|_| stands).and_then(sandbox_number);
    row.swept_sandboxes = kept.map_or(row.sandboxes, |place| place.saturating_sub(1));
    let gone = |run: &&ExecutionRow| kept.is_none() || sandbox_number(run) < kept;
    row.swept_executions = runs.rev().find(gone).map(|run| run.number).or(row.swept_executions);
}

/// The same task twice would be two that think they are one.
fn refuse_known(read: &Read<'_>, rows: &Rows) -> Result<(), Failure> {
    for row in &rows.tasks {
        if let Some(known) = task::by_id(read, row.id)? {
            let message = format!("the task {} is here already, as `{known}`; nothing was taken", row.id);
            let hint = format!(
                "`callbox resume {known}` goes on with it; for a second copy use another state directory"
            );
            return Err(ApiError::new(ErrorCode::Conflict, message).hinted(hint).into());
        }
    }
    Ok(())
}

fn invalid(reason: &str) -> Failure {
    Failure::refused(ErrorCode::Invalid, format!("the tasks cannot be taken: {reason}"))
}
