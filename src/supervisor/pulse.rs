//! Whether the processes of a run do anything, told from the processor time they have used. Pure.

use std::time::Duration;

use tokio::time::Instant;

/// The longest time between two looks.
const LONGEST: Duration = Duration::from_secs(10);
/// A program that only waits still looks at its clock: less than this part of a processor is nothing.
const IDLE_PART: u32 = 100;

/// Remembers the last look.
#[derive(Debug)]
pub(super) struct Pulse {
    every: Duration,
    last: Option<(Instant, Duration)>,
}

impl Pulse {
    /// For a run that may be idle for `limit`.
    pub(super) fn new(limit: Duration) -> Self {
        Self { every: (limit / 4).min(LONGEST), last: None }
    }

    /// Whether another look is due.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.last.is_none_or(|(at, _)| now.saturating_duration_since(at) >= self.every)
    }

    /// Takes what all processes of the run have `used` so far; whether they worked since the last look.
    /// Less than before means that some have ended, which is work too.
    pub(super) fn worked(&mut self, now: Instant, used: Duration) -> bool {
        let Some((at, before)) = self.last.replace((now, used)) else { return true };
        let nothing = now.saturating_duration_since(at).max(self.every) / IDLE_PART;
        used.checked_sub(before).is_none_or(|used| used > nothing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_program_that_only_waits_does_not_work_and_one_that_computes_or_ends_does() {
        let begun = Instant::now();
        let mut pulse = Pulse::new(900 * SECOND);
        assert!(pulse.worked(begun, SECOND), "what was done before the first look is not known");
        assert!(!pulse.worked(begun + 10 * SECOND, SECOND + SECOND / 10));
        assert!(pulse.worked(begun + 20 * SECOND, SECOND + SECOND / 2));
        assert!(!pulse.worked(begun + 30 * SECOND, SECOND + SECOND / 2));
        assert!(pulse.worked(begun + 40 * SECOND, SECOND));
    }

    #[test]
    fn it_looks_often_enough_for_a_short_limit_and_seldom_for_a_long_one() {
        for (limit, every) in [(2 * SECOND, SECOND / 2), (900 * SECOND, 10 * SECOND)] {
            let begun = Instant::now();
            let mut pulse = Pulse::new(limit);
            assert!(pulse.is_due(begun));
            pulse.worked(begun, SECOND);
            assert!(!pulse.is_due(begun + every - SECOND / 10));
            assert!(pulse.is_due(begun + every));
        }
    }
}
