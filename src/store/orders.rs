//! What a supervisor is to do: a level, read from the rows whenever it is asked for.

use super::failure::Failure;
use crate::{
    database::{
        Read,
        rows::{execution::ExecutionRow, question, task},
    },
    domain::{Phase, TaskState},
    protocol::supervise::{Desired, Orders},
    vocabulary::StopReason,
};

/// The orders for `run` as things stand.
pub(super) fn orders(read: &Read<'_>, run: &ExecutionRow) -> Result<Orders, Failure> {
    let row = task::get(read, run.task)?.ok_or_else(|| Failure::unknown(run.task))?;
    let desired = match row.state {
        TaskState::Running { execution, phase } if execution == run.number => match phase {
            Phase::Agent | Phase::Delivering => Desired::Go,
            Phase::Stopping { reason } => Desired::Stop(reason),
            Phase::Killing { reason } => Desired::Kill(reason),
        },
        // The execution was given up while its supervisor slept.
        _ => Desired::Kill(StopReason::Cancelled),
    };
    let question_open =
        question::open_of(read, run.task)?.iter().any(|question| question.execution == run.number);
    let hello_seen = run.hello_seen;
    Ok(Orders { level: level(desired, hello_seen, question_open), desired, hello_seen, question_open })
}

/// A number that is different for every different content, and never 0, with which a supervisor asks
/// for the first time.
fn level(desired: Desired, hello_seen: bool, question_open: bool) -> u64 {
    let code = |reason| match reason {
        StopReason::Cancelled => 1,
        StopReason::Budget => 2,
        StopReason::Asked => 3,
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
    fn different_orders_have_different_levels() {
        let reasons = [StopReason::Cancelled, StopReason::Budget, StopReason::Asked];
        let stops = reasons.map(Desired::Stop).into_iter().chain(reasons.map(Desired::Kill));
        let mut seen = HashSet::from([0]);
        for desired in stops.chain([Desired::Go]) {
            for (hello, question) in [(false, false), (false, true), (true, false), (true, true)] {
                assert!(seen.insert(level(desired, hello, question)));
            }
        }
    }
}
