//! What the scripted agent says: one JSON object a line.

use serde::Deserialize;

use crate::ids::Timestamp;

/// One line. Unknown events are none; unknown fields are ignored, so that either side may be newer.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Event {
    /// Which conversation this is.
    Session {
        /// Its id.
        id: String,
    },
    /// The message was taken.
    Turn,
    /// It went on behind the result of a call.
    Heard {
        /// As it named the call to the shim.
        call: String,
    },
    /// What it does.
    Activity {
        /// In a few words.
        text: String,
    },
    /// It says something.
    Text {
        /// Its words.
        text: String,
    },
    /// What this run has used so far: totals, so that a line more or less changes nothing.
    Usage {
        /// Dollars.
        cost_usd: Option<f64>,
        /// Tokens read.
        tokens_in: Option<u64>,
        /// Tokens written.
        tokens_out: Option<u64>,
    },
    /// It was denied a tool.
    Denied {
        /// Which.
        tool: String,
        /// For what.
        #[serde(default)]
        input: String,
    },
    /// Its provider refuses for now.
    RateLimit {
        /// Until when.
        reset: Option<Timestamp>,
    },
    /// Its provider refused the login.
    Auth {
        /// The provider's words.
        message: String,
    },
    /// The run is over.
    Result {
        /// Whether it went badly.
        is_error: bool,
        /// Its last words, or what went wrong.
        #[serde(default)]
        message: String,
        /// What went wrong, as a code: `session_unknown`, `wiring`, else any.
        code: Option<String>,
    },
}

impl Event {
    /// Reads a line; `None` where it is no event.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}
