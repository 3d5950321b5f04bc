//! How often each thing is measured.

use std::env;

/// So many rounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rounds {
    /// First ones that do not count, in which caches and connections are cold.
    pub(crate) warm_up: usize,
    /// Those that count.
    pub(crate) counted: usize,
}

/// What the figures are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// They are judged.
    Measured,
    /// They only show that there are any: as a test, lest the bench falls behind what it measures.
    Tried,
}

impl Effort {
    /// `cargo bench` says so; `cargo test` does not.
    pub(crate) fn asked() -> Self {
        if env::args().any(|argument| argument == "--bench") { Self::Measured } else { Self::Tried }
    }

    /// The argument with which this program passes it on to itself.
    pub(crate) fn argument(self) -> &'static str {
        match self {
            Self::Measured => "--bench",
            Self::Tried => "--tried",
        }
    }

    /// Of `rounds` as many as it takes.
    pub(crate) fn take(self, rounds: Rounds) -> Rounds {
        match self {
            Self::Measured => rounds,
            Self::Tried => Rounds { warm_up: 1, counted: 2 },
        }
    }
}
