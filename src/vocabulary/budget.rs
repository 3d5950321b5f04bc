//! What may be used, and how long nothing may happen.

use serde::{Deserialize, Serialize};

/// What a task and its whole tree of subtasks may use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Dollars, more than 0; no limit where absent.
    pub max_cost_usd: Option<f64>,
    /// Tokens read and written, more than 0; no limit where absent.
    pub max_tokens: Option<u64>,
}

impl Budget {
    /// This and, where it sets no limit, `lower`.
    pub fn over(self, lower: Self) -> Self {
        Self {
            max_cost_usd: self.max_cost_usd.or(lower.max_cost_usd),
            max_tokens: self.max_tokens.or(lower.max_tokens),
        }
    }
}

/// How long a run may go on without a word of its agent and without work in its processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdleLimit {
    /// For as long as it takes.
    Never,
    /// For so many seconds.
    Seconds(u64),
}

impl IdleLimit {
    /// The seconds, where there is a limit.
    pub fn seconds(self) -> Option<u64> {
        match self {
            Self::Never => None,
            Self::Seconds(seconds) => Some(seconds),
        }
    }
}
