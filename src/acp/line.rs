//! What the client says: one JSON object a line. Written here, read by the adapter.

use std::io::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Line {
    /// Which program answers.
    Program {
        /// As it names itself.
        name: String,
        /// Its version.
        version: String,
    },
    /// Which conversation this is.
    Session {
        /// As the program names it.
        id: String,
    },
    /// The model in use.
    Model {
        /// As the program names it.
        name: String,
    },
    /// The model said something. One message comes in parts.
    Text {
        /// The part.
        text: String,
    },
    /// The model thought.
    Thought,
    /// What was said to the model is repeated: all before this was another turn.
    Repeated,
    /// The model calls a tool.
    Call {
        /// The call.
        id: String,
        /// The tool, by its name, else by its kind; one of the four by the name that people know it by.
        tool: String,
        /// What it is to do, in the program's words.
        title: String,
        /// Its arguments, where they are told.
        input: Value,
    },
    /// A call has ended.
    Answer {
        /// The call.
        id: String,
        /// Whether the program says that it failed.
        failed: bool,
        /// What the tool said.
        text: String,
    },
    /// A call was not allowed.
    Denied {
        /// The call.
        id: String,
    },
    /// Dollars of the session so far.
    Cost {
        /// All of them.
        dollars: f64,
    },
    /// A notification that the protocol does not name.
    Extension {
        /// Its name.
        method: String,
        /// What it holds.
        params: Value,
    },
    /// A line that is no message.
    Stray {
        /// Its beginning.
        text: String,
    },
    /// A line was too long to be read.
    LeftOut,
    /// The run is over.
    End {
        /// How.
        end: End,
    },
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum End {
    /// The program said why the turn is over.
    Turn {
        /// The protocol's word, such as `end_turn`.
        stop: String,
        /// What the turn used, where it is told.
        tokens: Option<Tokens>,
    },
    /// The program answered with an error.
    Refused {
        /// What it was asked.
        stage: Stage,
        /// The error's number.
        code: i64,
        /// Its words.
        message: String,
        /// What goes with them.
        data: Value,
    },
    /// The program ended, or stopped talking, in the middle of it.
    Gone {
        /// What it was asked.
        stage: Stage,
    },
    /// The program speaks, and not what is needed.
    Unfit {
        /// What is missing: the end of a sentence that begins with the program.
        lacks: String,
    },
    /// The program could not be started.
    NotStarted {
        /// Why.
        reason: String,
    },
    /// callbox stopped it.
    Stopped,
    /// The client itself could not work.
    Broken {
        /// Why.
        reason: String,
    },
}

/// What the program was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Who it is.
    Initialize,
    /// To open a new session.
    New,
    /// To go on with a session.
    Resume,
    /// To work in a mode, or with a model.
    Settings,
    /// The task.
    Prompt,
}

/// What a turn used, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Read by the model, out of a cache or not.
    pub read: u64,
    /// Written by it.
    pub written: u64,
}

impl Tokens {
    /// These and `more`.
    pub(super) fn plus(self, more: Self) -> Self {
        Self { read: self.read.saturating_add(more.read), written: self.written.saturating_add(more.written) }
    }
}

/// Says it. Nobody to hear it is no reason to stop.
pub(super) fn say(line: &Line) {
    if let Ok(mut text) = serde_json::to_vec(line) {
        text.push(b'\n');
        let mut output = std::io::stdout().lock();
        let _ = output.write_all(&text).and_then(|()| output.flush());
    }
}

/// The first `limit` characters of `text`.
pub(super) fn beginning(text: &str, limit: usize) -> String {
    text.chars().take(limit).collect()
}
