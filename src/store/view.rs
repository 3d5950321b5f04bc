//! Gathers from the rows what a decision sees.

use super::{budget, failure::Failure};
use crate::{
    database::{
        Read,
        rows::{execution, message, question, task},
    },
    domain::{Demands, Met, TaskView, Unsaid},
    ids::Timestamp,
    vocabulary::Deliver,
};

/// The task of `row` as it stands now.
pub(super) fn view_of(read: &Read<'_>, row: &task::TaskRow, now: Timestamp) -> Result<TaskView, Failure> {
    let at_work = row.state.execution();
    let messages = message::unsaid(read, row.number)?;
    let is_report = |message: &message::MessageRow| matches!(message.unsaid, Unsaid::Report { .. });
    let carried = |message: &message::MessageRow| at_work.is_some() && message.carried_by == at_work;
    let unsaid = messages.iter().filter(|message| !is_report(message) && !carried(message)).count();
    let unsaid_reports = messages.iter().filter(|message| is_report(message)).count();
    let children = task::children(read, row.number)?;
    let last = execution::last_of(read, row.number)?;
    Ok(TaskView {
        state: row.state.clone(),
        last_execution: last.as_ref().map(|run| run.number),
        unkept: unkept(read, row)?,
        by_hand: last.as_ref().is_some_and(|run| run.details.by_hand),
        open_questions: count(question::open_of(read, row.number)?.len()),
        unsaid: count(unsaid),
        unsaid_reports: count(unsaid_reports),
        open_subtasks: count(children.iter().filter(|child| !child.state.is_end()).count()),
        over_budget: budget::over(read, &row.terms())?,
        failures: row.failures,
        losses: row.losses,
        rate_limits: row.rate_limits,
        retry: row.spec.retry,
        on_rate_limit: row.spec.on_rate_limit,
        demands: Demands { summary: row.spec.require_summary, changes: row.spec.require_changes },
        met: met(read, last.as_ref())?,
        verify_tries: row.spec.verify.as_ref().map(|_| row.spec.verify_tries),
        conflict_tries: row.spec.verify_tries,
        mendings: row.mendings,
        review: row.spec.review,
        unmerged: unmerged(read, row)?,
        resume_after_subtasks: row.spec.resume_after_subtasks,
        now,
    })
}

/// Under review what is to be merged stands on a branch of its own first.
fn unmerged(read: &Read<'_>, row: &task::TaskRow) -> Result<bool, Failure> {
    if row.spec.deliver != Deliver::Merge || !row.spec.review {
        return Ok(false);
    }
    let branch = execution::last_delivery(read, row.number)?.and_then(|delivery| delivery.branch);
    Ok(branch.is_some_and(|branch| row.spec.merge_into.as_ref() != Some(&branch)))
}

/// What `deliver: none` leaves in its sandbox is where the person wants it.
fn unkept(read: &Read<'_>, row: &task::TaskRow) -> Result<bool, Failure> {
    if row.spec.project.is_none() || row.spec.deliver == Deliver::None {
        return Ok(false);
    }
    let runs = execution::of_task(read, row.number)?.into_iter().rev();
    let last = { runs }.find(|run| run.details.settled || run.sandbox.is_some());
    Ok(last.is_some_and(|run| !run.details.settled && !row.is_swept(run.number)))
}

fn met(read: &Read<'_>, last: Option<&execution::ExecutionRow>) -> Result<Met, Failure> {
    let Some(run) = last else { return Ok(Met::default()) };
    Ok(Met {
        summary: run.details.reported.is_some(),
        changes: run.details.ending.as_ref().is_some_and(|ending| ending.changed),
        reminded: message::held_reminder(read, run.number)?,
    })
}

pub(super) fn count(items: usize) -> u32 {
    u32::try_from(items).unwrap_or(u32::MAX)
}
