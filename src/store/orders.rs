//! What a supervisor is to do: a level, read from the rows whenever it is asked for.

use super::{failure::Failure, spawn_base};
use crate::{
    database::{
        Read,
        rows::{execution::ExecutionRow, question, task},
    },
    domain::{Phase, TaskState},
    ids::TaskNumber,
    protocol::supervise::{Desired, Orders},
    vocabulary::StopReason,
};

/// The orders for `run` as things stand.
pub(super) fn orders(read: &Read<'_>, run: &ExecutionRow) -> Result<Orders, Failure> {
    let row = task::get(read, run.task)?.ok_or_else(|| Failure::unknown(run.task))?;
    let desired = match row.state {
        TaskState::Running { execution, phase } if execution == run.number => match phase {
            Phase::Agent | Phase::Unbound | Phase::Verifying | Phase::Delivering | Phase::Merging => {
                Desired::Go
            }
            Phase::Stopping { reason } => Desired::Stop(reason),
            Phase::Killing { reason } => Desired::Kill(reason),
        },
        TaskState::Keeping { execution, .. } if execution == run.number => Desired::Go,
        // The execution was given up while its supervisor slept.
        _ => Desired::Kill(StopReason::Cancelled),
    };
    let question_open =
        question::open_of(read, run.task)?.iter().any(|question| question.execution == run.number);
    let hello_seen = run.hello_seen;
    let unnamed = spawn_base::wanted(read, run)?;
    let level = level(desired, hello_seen, question_open) + SMALL_LEVELS * level_of(&unnamed);
    Ok(Orders { level, desired, hello_seen, question_open, unnamed })
}

/// One more than the highest [`level`].
const SMALL_LEVELS: u64 = 128;

/// A number that is different for every two sets that follow each other: a subtask leaves the set for
/// good, and a new one has the highest number of all.
fn level_of(unnamed: &[TaskNumber]) -> u64 {
    let highest = unnamed.iter().map(|task| task.value()).max().unwrap_or(0);
    highest.unsigned_abs() * 1024 + unnamed.len() as u64
}

/// A number that is different for every different content, and never 0, with which a supervisor asks
/// for the first time.
fn level(desired: Desired, hello_seen: bool, question_open: bool) -> u64 {
    let code = |reason| match reason {
        StopReason::Cancelled => 1,
        StopReason::Budget => 2,
        StopReason::Asked => 3,
        StopReason::Told => 4,
    };
    let desired = match desired {
        Desired::Go => 1,
        Desired::Stop(reason) => 10 + code(reason),
        Desired::Kill(reason) => 20 + code(reason),
    };
    desired * 4 + u64::from(hello_seen) * 2 + u64::from(question_open)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn sets_of_subtasks_that_follow_each_other_have_different_levels() {
        let sets: [&[i64]; 7] = [&[], &[3], &[3, 4], &[4], &[4, 5], &[5], &[5, 6, 7]];
        let levels = sets.map(|set| level_of(&set.iter().map(|n| TaskNumber::new(*n)).collect::<Vec<_>>()));
        assert_eq!(HashSet::from(levels).len(), sets.len());
    }

    #[test]
    fn different_orders_have_different_levels() {
        let reasons = [StopReason::Cancelled, StopReason::Budget, StopReason::Asked, StopReason::Told];
        let stops = reasons.map(Desired::Stop).into_iter().chain(reasons.map(Desired::Kill));
        let mut seen = HashSet::from([0]);
        for desired in stops.chain([Desired::Go]) {
            for (hello, question) in [(false, false), (false, true), (true, false), (true, true)] {
                let level = level(desired, hello, question);
                assert!(level < SMALL_LEVELS && seen.insert(level));
            }
        }
    }
}
