//! Which waiting tasks run next.

use std::cmp::Reverse;

use super::{Candidate, Fleet, Role};
use crate::ids::{TaskNumber, Timestamp};

/// What the scheduler decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// To be claimed, in this order.
    pub claim: Vec<(TaskNumber, Role)>,
    /// When the next hold is over and deciding again is worth while.
    pub wake_at: Option<Timestamp>,
}

/// Decides which of `candidates` get a slot of `fleet`: highest priority first, then the oldest. One that is held keeps
/// none of those behind it waiting.
pub fn schedule(candidates: &[Candidate], mut fleet: Fleet, now: Timestamp) -> Schedule {
    let mut order: Vec<&Candidate> = candidates.iter().collect();
    order.sort_by_key(|candidate| (Reverse(candidate.priority), candidate.task));
    let mut schedule = Schedule { claim: Vec::new(), wake_at: None };
    for candidate in order {
        match fleet.hold(candidate, now) {
            None => schedule.claim.push((candidate.task, fleet.take(candidate))),
            Some(hold) => schedule.wake_at = schedule.wake_at.into_iter().chain(hold.until()).min(),
        }
    }
    schedule
}

#[cfg(test)]
mod tests;
