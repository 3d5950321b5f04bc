//! What the scripted agent says: one JSON object a line.

use std::io::Write as _;

use serde::Serialize;

use crate::ids::Timestamp;

/// One line.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Line<'a> {
    /// Which conversation this is.
    Session { id: &'a str },
    /// The message was taken.
    Turn,
    /// It goes on behind the result of this call.
    Heard { call: &'a str },
    /// What it does.
    Activity { text: &'a str },
    /// It says something.
    Text { text: &'a str },
    /// What this run has used so far.
    Usage { cost_usd: f64, tokens_in: u64, tokens_out: u64 },
    /// It was denied a tool.
    Denied { tool: &'a str, input: &'a str },
    /// Its provider refuses for now.
    RateLimit { reset: Option<Timestamp> },
    /// Its provider refused the login.
    Auth { message: &'a str },
    /// The run is over.
    Result { is_error: bool, message: &'a str, code: Option<&'a str> },
}

/// Says it. Nobody to hear it is no reason to stop.
pub(super) fn say(line: &Line<'_>) {
    if let Ok(mut text) = serde_json::to_vec(line) {
        text.push(b'\n');
        let mut output = std::io::stdout().lock();
        let _ = output.write_all(&text).and_then(|()| output.flush());
    }
}
