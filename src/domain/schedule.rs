//! Which waiting tasks run next.

use std::cmp::Reverse;

use super::{Candidate, Fleet, Role};
use crate::ids::{TaskNumber, Timestamp};

/// What the scheduler decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// To be claimed, in this order.
    pub claim: Vec<Claim>,
    /// When the next hold is over and deciding again is worth while.
    pub wake_at: Option<Timestamp>,
}

/// A task that gets a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Which.
    pub task: TaskNumber,
    /// The agent program that runs it.
    pub agent: String,
    /// As what.
    pub role: Role,
}

/// Decides which of `candidates` get a slot of `fleet`: highest priority first, then the oldest. One that is held keeps
/// none of those behind it waiting.
pub fn schedule(candidates: &[Candidate], mut fleet: Fleet, now: Timestamp) -> Schedule {
    let mut order: Vec<&Candidate> = candidates.iter().collect();
    order.sort_by_key(|candidate| (Reverse(candidate.priority), candidate.task));
    let mut schedule = Schedule { claim: Vec::new(), wake_at: None };
    for candidate in order {
        match fleet.pick(candidate, now) {
            Ok(agent) => schedule.claim.push(Claim {
                task: candidate.task,
                agent: agent.to_owned(),
                role: fleet.take(candidate, agent),
            }),
            Err(hold) => schedule.wake_at = schedule.wake_at.into_iter().chain(hold.until()).min(),
        }
    }
    schedule
}

#[cfg(test)]
mod tests;
