//! Which waiting tasks run next.

use std::time::Duration;

use super::Wait;
use crate::{
    ids::{TaskNumber, Timestamp},
    vocabulary::Priority,
};

/// A queued task whose predecessors are completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The task. Lower numbers are older.
    pub task: TaskNumber,
    /// Which goes first.
    pub priority: Priority,
    /// What it waits for besides its turn.
    pub wait: Wait,
    /// When it began to wait.
    pub began: Timestamp,
}

/// Clocks are put right by less than this all the time.
const SET_BACK: Duration = Duration::from_secs(60);

impl Candidate {
    /// Until when it waits; `None` where its delay is over. A clock that shows less than when the wait began was set
    /// back since: nobody knows how much of it is over, and until the clock is there again could be years.
    fn waits_until(&self, now: Timestamp) -> Option<Timestamp> {
        match self.wait {
            Wait::RateLimit { until } | Wait::Retry { until } => {
                Some(until).filter(|until| *until > now && self.began.since(now) < SET_BACK)
            }
            Wait::Turn | Wait::Auth | Wait::Budget => None,
        }
    }
}

/// How many executions may run at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// At most this many in all, from 1.
    pub max_concurrent: u32,
    /// That many run now.
    pub running: u32,
}

/// What the scheduler decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// To be claimed, in this order.
    pub claim: Vec<TaskNumber>,
    /// When the next delay is over and deciding again is worth while.
    pub wake_at: Option<Timestamp>,
}

/// Decides which of `candidates` get a slot: highest priority first, then the oldest.
pub fn schedule(candidates: &[Candidate], capacity: Capacity, now: Timestamp) -> Schedule {
    let delay_over = |candidate: &Candidate| {
        candidate.waits_until(now).is_none() && !matches!(candidate.wait, Wait::Auth | Wait::Budget)
    };
    let mut due: Vec<&Candidate> = candidates.iter().filter(|candidate| delay_over(candidate)).collect();
    due.sort_by_key(|candidate| (std::cmp::Reverse(candidate.priority), candidate.task));
    let free = capacity.max_concurrent.saturating_sub(capacity.running) as usize;
    let claim = due.into_iter().take(free).map(|candidate| candidate.task).collect();
    let wake_at = candidates.iter().filter_map(|candidate| candidate.waits_until(now)).min();
    Schedule { claim, wake_at }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn candidate(task: i64, priority: Priority, wait: Wait) -> Candidate {
        Candidate { task: TaskNumber::new(task), priority, wait, began: Timestamp::from_millis(0) }
    }

    #[test]
    fn a_delay_that_began_in_what_is_now_the_future_is_over() {
        let time = |minutes: i64| Timestamp::from_millis(minutes * 60_000);
        let capacity = Capacity { max_concurrent: 4, running: 0 };
        for wait in [Wait::Retry { until: time(100) }, Wait::RateLimit { until: time(100) }] {
            let waiting = Candidate { began: time(90), ..candidate(1, Priority::Normal, wait) };
            let claimed = |now| schedule(std::slice::from_ref(&waiting), capacity, now);
            assert_eq!(claimed(time(95)).wake_at, Some(time(100)));
            assert_eq!(claimed(time(95)).claim, []);
            assert_eq!(
                claimed(Timestamp::from_millis(90 * 60_000 - 59_000)).claim,
                [],
                "put right, not set back"
            );
            assert_eq!(claimed(time(10)).claim, [TaskNumber::new(1)]);
            assert_eq!(claimed(time(10)).wake_at, None);
        }
        let auth = Candidate { began: time(90), ..candidate(1, Priority::Normal, Wait::Auth) };
        assert_eq!(schedule(&[auth], capacity, time(10)).claim, []);
    }

    #[test]
    fn the_highest_priority_goes_first_and_the_oldest_among_equals() {
        let candidates = [
            candidate(3, Priority::Normal, Wait::Turn),
            candidate(2, Priority::Normal, Wait::Turn),
            candidate(9, Priority::High, Wait::Turn),
            candidate(1, Priority::Low, Wait::Turn),
        ];
        let capacity = Capacity { max_concurrent: 4, running: 1 };
        let order = schedule(&candidates, capacity, Timestamp::from_millis(0)).claim;
        assert_eq!(order, [9, 2, 3].map(TaskNumber::new));
    }

    #[test]
    fn a_delay_is_waited_out_and_the_next_one_named() {
        let until = Timestamp::from_millis(50);
        let candidates = [candidate(1, Priority::Normal, Wait::Retry { until })];
        let capacity = Capacity { max_concurrent: 4, running: 0 };
        let before = schedule(&candidates, capacity, Timestamp::from_millis(49));
        assert_eq!(before, Schedule { claim: vec![], wake_at: Some(until) });
        assert_eq!(schedule(&candidates, capacity, until).claim.len(), 1);
    }

    proptest! {
        #[test]
        fn slots_are_never_exceeded(running in 0u32..20, max in 1u32..10, tasks in 0i64..30) {
            let candidates: Vec<_> =
                (1..=tasks).map(|task| candidate(task, Priority::Normal, Wait::Turn)).collect();
            let capacity = Capacity { max_concurrent: max, running };
            let claimed = schedule(&candidates, capacity, Timestamp::from_millis(0)).claim.len();
            let free = max.saturating_sub(running) as usize;
            prop_assert_eq!(claimed, free.min(candidates.len()));
        }
    }
}
