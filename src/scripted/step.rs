//! The steps of a script.

use std::time::Duration;

use serde_json::{Map, Value as Json};

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// Calls a tool of callbox's.
    Call(Call),
    /// Writes a file below the working directory.
    Write {
        /// Relative.
        path: String,
        /// Its whole content.
        text: String,
    },
    /// Commits everything.
    Commit(String),
    /// Says something.
    Print(String),
    /// Lets time pass.
    Sleep(Duration),
    /// Spends so many dollars more.
    Cost(f64),
    /// Its provider refuses for now: for so long, where it says so.
    RateLimit(Option<Duration>),
    /// A tool of its own is denied.
    Deny(String),
    /// Its provider refuses the login.
    Auth,
    /// Exits with this status and without a result.
    Exit(u8),
    /// Dies of a signal.
    Crash,
    /// Ignores SIGTERM and never ends.
    Hang,
    /// Leaves a grandchild in a session of its own that lives so long.
    Orphan(Duration),
    /// Says so many bytes of nothing.
    Flood(u64),
    /// Ends its turn with a question that nobody recorded.
    ProseQuestion(String),
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    /// The tool.
    pub(super) tool: String,
    /// Its arguments.
    pub(super) arguments: Map<String, Json>,
    /// What follows when the tool refuses.
    pub(super) refused: Refused,
    /// What follows when it does not.
    pub(super) then: Then,
}

/// What follows when a tool refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// The run ends badly.
    Fails,
    /// The next step.
    GoesOn,
}

/// What follows when a tool does not refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// The next step.
    GoOn,
    /// The turn ends.
    EndTurn,
}

/// From when on a step is behind, for a conversation that is killed in the middle of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behind {
    /// At once: what only takes time or ends the run would do so again at each resume, for ever.
    OnceBegun,
    /// When it is done: a kill in its middle repeats it rather than loses it.
    OnceDone,
}

impl Step {
    /// What it asks the person, if it does.
    pub(super) fn question(&self) -> Option<&str> {
        match self {
            Self::Call(call) if call.tool == "ask_user" => call.arguments.get("question")?.as_str(),
            _ => None,
        }
    }

    /// From when on it is behind.
    pub(super) fn behind(&self) -> Behind {
        match self {
            Self::Call(_) | Self::Write { .. } | Self::Commit(_) => Behind::OnceDone,
            _ => Behind::OnceBegun,
        }
    }
}
