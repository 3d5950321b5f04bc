//! What the provider refused, and whether that is for now, for this login, or for good.

/// A refusal, as events of Claude Code carry it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The HTTP status.
    pub(super) status: Option<u64>,
    /// Claude Code's own word for it, such as `rate_limit`, `authentication_failed`, `overloaded`.
    pub(super) error: Option<String>,
}

/// What a refusal means for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The login is not good.
    Login,
    /// The provider refuses for now: a limit, or it is overloaded.
    ForNow,
    /// The request itself is refused.
    ForGood,
}

impl Refusal {
    /// What it means. The status counts before the word, which changes between versions.
    pub(super) fn meaning(&self) -> Meaning {
        match (self.status, self.error.as_deref()) {
            (Some(401 | 403), _) | (None, Some("authentication_failed")) => Meaning::Login,
            (Some(429 | 529), _) | (None, Some("rate_limit" | "overloaded")) => Meaning::ForNow,
            _ => Meaning::ForGood,
        }
    }

    /// It in a few words.
    pub(super) fn words(&self) -> String {
        let error = self.error.as_deref().unwrap_or("unknown").replace('_', " ");
        match self.status {
            Some(status) => format!("{status} {error}"),
            None => error,
        }
    }
}
