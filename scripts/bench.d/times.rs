//! Many measurements of one thing.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// What each round took, in microseconds, in the order of the rounds.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(crate) struct Times {
    rounds: Vec<f64>,
}

impl Times {
    /// Adds a round.
    pub(crate) fn add(&mut self, time: Duration) {
        self.rounds.push(time.as_secs_f64() * 1e6);
    }

    /// Does `work` as a round.
    pub(crate) fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let done = work();
        self.add(begun.elapsed());
        done
    }

    /// Each round less the same round of `other`, which was measured beside it.
    pub(crate) fn less(&self, other: &Self) -> Self {
        Self { rounds: self.rounds.iter().zip(&other.rounds).map(|(ours, theirs)| ours - theirs).collect() }
    }

    /// Each round with the same round of `other`.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self { rounds: self.rounds.iter().zip(&other.rounds).map(|(ours, theirs)| ours + theirs).collect() }
    }

    /// Without the first `rounds`, in which caches and connections were still cold.
    pub(crate) fn warmed(mut self, rounds: usize) -> Self {
        self.rounds.drain(..rounds.min(self.rounds.len()));
        self
    }

    /// How many rounds there are.
    pub(crate) fn count(&self) -> usize {
        self.rounds.len()
    }

    /// Minimum, median and maximum, in microseconds.
    pub(crate) fn spread(&self) -> [f64; 3] {
        let mut sorted = self.rounds.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |place: usize| sorted.get(place).copied().unwrap_or(f64::NAN);
        [at(0), at(sorted.len() / 2), at(sorted.len().saturating_sub(1))]
    }

    /// The median, in microseconds.
    pub(crate) fn median(&self) -> f64 {
        self.spread()[1]
    }
}
