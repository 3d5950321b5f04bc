//! Time as a run counts it: it stands still while this process cannot run.
//!
//! Neither the kernel's monotonic clock counts a suspended machine, nor is a run held to time in which
//! nobody could hear its agent: a frozen container, or a supervisor that was stopped. Pure.

use std::time::Duration;

use tokio::time::Instant;

/// How often the clock must be read for a standstill to be told from a wait.
pub(super) const TICK: Duration = Duration::from_secs(1);
/// What may lie between two readings on a busy machine.
const LONGEST_GAP: Duration = Duration::from_secs(3);

/// The clock of one run.
#[derive(Debug)]
pub(super) struct Awake {
    read: Instant,
    asleep: Duration,
}

impl Awake {
    /// A clock that starts `now`.
    pub(super) fn new(now: Instant) -> Self {
        Self { read: now, asleep: Duration::ZERO }
    }

    /// The awake time at `now`. Of a gap that is longer than any wait, a tick was awake.
    pub(super) fn read(&mut self, now: Instant) -> Instant {
        let gap = now.saturating_duration_since(self.read);
        if gap > LONGEST_GAP {
            self.asleep += gap.saturating_sub(TICK);
        }
        self.read = self.read.max(now);
        self.at(now)
    }

    /// The awake time at `now`, where nothing stood still since the clock was last read.
    pub(super) fn at(&self, now: Instant) -> Instant {
        now.checked_sub(self.asleep).unwrap_or(now)
    }

    /// When it will be `awake`, unless something stands still until then.
    pub(super) fn wall(&self, awake: Instant) -> Instant {
        awake + self.asleep
    }

    /// When the clock must be read next.
    pub(super) fn next(&self) -> Instant {
        self.read + TICK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standstill_counts_as_one_tick_and_a_wait_in_full() {
        let begun = Instant::now();
        let mut clock = Awake::new(begun);
        assert_eq!(clock.read(begun + LONGEST_GAP), begun + LONGEST_GAP);
        let woken = begun + LONGEST_GAP + Duration::from_secs(3600);
        assert_eq!(clock.read(woken), begun + LONGEST_GAP + TICK);
        assert_eq!(clock.read(woken + TICK), begun + LONGEST_GAP + 2 * TICK);
        assert_eq!(clock.wall(begun + LONGEST_GAP + TICK), woken);
    }
}
