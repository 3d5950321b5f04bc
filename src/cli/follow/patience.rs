//! How long a run waits for providers that refuse for now. A pure decision.

use std::time::{Duration, Instant};

use super::standing::Standing;
use crate::ids::Timestamp;

/// Counts the time in which nothing but providers was waited for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    max_wait: Duration,
    since: Option<Instant>,
}

/// What to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Go on for as long as it takes.
    GoOn,
    /// Go on, at the longest until then.
    WaitUntil(Instant),
    /// Nothing can run any more.
    End,
    /// The provider will not serve in time.
    GiveUp,
}

impl Patience {
    /// Waits `max_wait` at a stretch.
    pub(super) fn new(max_wait: Duration) -> Self {
        Self { max_wait, since: None }
    }

    /// What to do when the trees stand like this. A time that is known to be too late is not waited
    /// for at all.
    pub(super) fn consider(&mut self, standing: Standing, now: Instant, clock: Timestamp) -> Next {
        let until = match standing {
            Standing::Active => {
                self.since = None;
                return Next::GoOn;
            }
            Standing::Over => return Next::End,
            Standing::RateLimited { until } => until,
        };
        let deadline = *self.since.get_or_insert(now) + self.max_wait;
        let left = deadline.saturating_duration_since(now);
        if left.is_zero() || until.is_some_and(|until| until.since(clock) > left) {
            Next::GiveUp
        } else {
            Next::WaitUntil(deadline)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAIT: Duration = Duration::from_secs(600);

    fn limited(seconds: i64) -> Standing {
        Standing::RateLimited { until: Some(Timestamp::from_millis(seconds * 1000)) }
    }

    #[test]
    fn a_provider_is_waited_for_up_to_the_limit() {
        let (mut patience, begun) = (Patience::new(WAIT), Instant::now());
        let consider = |patience: &mut Patience, standing, seconds: u64| {
            let clock = Timestamp::from_millis(i64::try_from(seconds).unwrap() * 1000);
            patience.consider(standing, begun + Duration::from_secs(seconds), clock)
        };
        assert_eq!(consider(&mut patience, limited(60), 0), Next::WaitUntil(begun + WAIT));
        assert_eq!(consider(&mut patience, limited(590), 60), Next::WaitUntil(begun + WAIT));
        assert_eq!(
            consider(&mut patience, Standing::RateLimited { until: None }, 599),
            Next::WaitUntil(begun + WAIT)
        );
        assert_eq!(consider(&mut patience, Standing::RateLimited { until: None }, 600), Next::GiveUp);
        // Work that went on begins a new stretch.
        assert_eq!(consider(&mut patience, Standing::Active, 601), Next::GoOn);
        assert_ne!(consider(&mut patience, limited(700), 602), Next::GiveUp);
    }

    #[test]
    fn a_time_that_is_too_late_is_not_waited_for() {
        let clock = Timestamp::from_millis(0);
        assert_eq!(Patience::new(WAIT).consider(limited(601), Instant::now(), clock), Next::GiveUp);
        assert_eq!(Patience::new(Duration::ZERO).consider(limited(0), Instant::now(), clock), Next::GiveUp);
    }

    #[test]
    fn what_is_over_ends() {
        let mut patience = Patience::new(WAIT);
        assert_eq!(patience.consider(Standing::Over, Instant::now(), Timestamp::now()), Next::End);
    }
}
