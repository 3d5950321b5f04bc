//! What went wrong, and whether that is for now, for this login, or for good.

use std::time::Duration;

use crate::{
    agents::{gemini::reset_time, shorten::cut},
    ids::Timestamp,
    vocabulary::{AgentEnd, Fault},
};

/// How much of a program's own words goes into a fault, in characters.
const FAULT: usize = 1000;
/// Within how many characters of what a program says its provider's status is looked for.
const NEAR: usize = 200;
/// Statuses that stand in words and mean something for the run.
const TOLD: [u16; 10] = [400, 401, 403, 404, 408, 429, 500, 502, 503, 529];
/// Longer than any limit of a provider's lasts: whatever says more is no reset time.
const LONGEST: u64 = 31 * 24 * 3600;

/// What a program said of what went wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Trouble {
    /// In its words.
    pub(super) words: String,
    /// The HTTP status, where it said one.
    pub(super) status: Option<u16>,
    /// After how many seconds it may be tried again, where it said so.
    pub(super) retry_after: Option<u64>,
    /// When it was said.
    pub(super) at: Option<Timestamp>,
}

impl Trouble {
    /// The end that it means for a run of the program `name`.
    pub(super) fn end(&self, name: &str) -> AgentEnd {
        let status = self.status.or_else(|| in_words(&self.words));
        let words = cut(&self.words, FAULT);
        let message = match status {
            Some(status) if !words.contains(&status.to_string()) => format!("{status}: {words}"),
            _ => words,
        };
        match status {
            Some(401 | 403) => AgentEnd::Auth { message },
            Some(429 | 503 | 529) => AgentEnd::RateLimited { until: self.until(), message },
            Some(_) => AgentEnd::Failed { fault: Fault::new("provider", message) },
            None => AgentEnd::Failed {
                fault: Fault::new("agent_error", format!("`{name}` ended its run with an error: {message}")),
            },
        }
    }

    fn until(&self) -> Option<Timestamp> {
        let at = self.at?;
        let told = self.retry_after.filter(|seconds| *seconds <= LONGEST).map(Duration::from_secs);
        told.map(|wait| at.plus(wait)).or_else(|| reset_time(&self.words, at))
    }
}

/// The first status among the words of the beginning.
fn in_words(words: &str) -> Option<u16> {
    let beginning = cut(words, NEAR);
    let numbers =
        beginning.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| word.len() == 3);
    numbers.filter_map(|word| word.parse().ok()).find(|status| TOLD.contains(status))
}
