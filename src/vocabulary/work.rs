//! What is said of one run's work: what it cost, what it was denied, what it delivered, why not.

use std::{io, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::Shortage;

/// What one execution used. `None` where the agent program reports nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// United States dollars, of this execution alone.
    pub cost_usd: Option<f64>,
    /// Tokens read, caches included.
    pub tokens_in: Option<u64>,
    /// Tokens written.
    pub tokens_out: Option<u64>,
}

impl Usage {
    /// This and `other`; what neither tells stays untold.
    pub fn and(&self, other: &Usage) -> Usage {
        let tokens = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        let cost_usd = match (self.cost_usd, other.cost_usd) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
        Usage {
            cost_usd,
            tokens_in: tokens(self.tokens_in, other.tokens_in),
            tokens_out: tokens(self.tokens_out, other.tokens_out),
        }
    }
}

/// A tool the agent wanted and did not get.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Denial {
    /// The tool's name in the agent program's words.
    pub tool: String,
    /// What it was to do, shortened to 200 characters.
    pub input: String,
    /// How often the same was denied.
    pub count: u32,
}

/// The work of a task as it stands in its project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The commit the work started from, 40 or 64 hex digits.
    pub base: String,
    /// The branch in the project; absent where the work is a patch.
    pub branch: Option<String>,
    /// The patch that `git am` takes; kept relative to the state directory, shown absolute.
    #[serde(default)]
    pub patch: Option<PathBuf>,
    /// The delivered commit; of a patch the one in the sandbox.
    pub head: String,
    /// Commits from base to head.
    pub commits: u32,
    /// Files changed.
    pub files: u32,
    /// Lines added.
    pub insertions: u32,
    /// Lines removed.
    pub deletions: u32,
}

/// The work of a run without a good end, as it is kept in the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The commit the work started from, 40 or 64 hex digits.
    pub base: String,
    /// The reference in the project, such as `refs/callbox/x31`: no branch, so that no list of branches
    /// grows with what failed.
    pub reference: String,
    /// The kept commit.
    pub head: String,
    /// Commits from base to head.
    pub commits: u32,
    /// Files changed.
    pub files: u32,
    /// Lines added.
    pub insertions: u32,
    /// Lines removed.
    pub deletions: u32,
}

/// Why a run did not end well, for programs and for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// One of [`FAULT_CODES`](super::FAULT_CODES).
    pub code: String,
    /// A sentence, in the provider's own words where the provider refused.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Fault {
    /// A fault without a hint.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), hint: None }
    }

    /// What a run needs of the system is not to be had: `what` could not be done. Where the machine has run
    /// out of something, that is no fault of callbox.
    pub fn of_system(what: &str, error: &io::Error) -> Self {
        let shortage = Shortage::of(error);
        let code = if shortage.is_some() { "exhausted" } else { "internal" };
        Self::new(code, format!("{what}: {error}")).lacking(shortage)
    }

    /// The same fault with what to do about a shortage, where one is behind it.
    pub fn lacking(self, shortage: Option<Shortage>) -> Self {
        match shortage {
            Some(shortage) => self.hinted(shortage.hint()),
            None => self,
        }
    }

    /// The same fault with what to do about it.
    pub fn hinted(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// It returned this status.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_neither_of_two_runs_told_stays_untold_in_their_sum() {
        let told = |tokens_in, tokens_out| Usage { cost_usd: None, tokens_in, tokens_out };
        let sum = told(Some(3), None).and(&told(Some(4), Some(5)));
        assert_eq!(sum, told(Some(7), Some(5)));
        assert_eq!(Usage::default().and(&Usage::default()), Usage::default());
    }
}
