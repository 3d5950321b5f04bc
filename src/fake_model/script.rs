//! What a fake model is to say.

use std::path::PathBuf;

use serde_json::{Map, Value};

/// The whole play.
#[derive(Debug, Clone, Default)]
pub struct Script {
    pub(super) conversations: Vec<Conversation>,
    pub(super) refusals: Vec<Refusal>,
}

/// One line of conversation, chosen by a word in what was said to the model.
#[derive(Debug, Clone)]
pub(super) struct Conversation {
    /// Empty for any.
    pub(super) about: String,
    pub(super) steps: Vec<Step>,
}

/// One turn of the model.
#[derive(Debug, Clone)]
pub enum Step {
    /// It says this and ends its turn.
    Say(String),
    /// It calls a tool, found among those that are offered by the end of its name.
    Call(String, Value),
    /// It never answers.
    Hang,
    /// It answers so once this file is there.
    Once(PathBuf, Box<Step>),
}

/// A refusal of the provider.
#[derive(Debug, Clone)]
pub struct Refusal {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    /// The provider's word for it.
    pub(super) kind: String,
    pub(super) message: String,
    /// Further fields of the error.
    pub(super) more: Map<String, Value>,
    /// How many requests of a conversation are refused before the script begins.
    pub(super) times: usize,
}

impl Script {
    /// A script of one conversation.
    pub fn of(steps: impl IntoIterator<Item = Step>) -> Self {
        Self::default().about("", steps)
    }

    /// Adds the conversation in which `word` was said; the first that fits is played.
    pub fn about(mut self, word: &str, steps: impl IntoIterator<Item = Step>) -> Self {
        self.conversations.push(Conversation { about: word.to_owned(), steps: steps.into_iter().collect() });
        self
    }

    /// Adds a refusal that comes first.
    pub fn refusing(mut self, refusal: Refusal) -> Self {
        self.refusals.push(refusal);
        self
    }
}

impl Step {
    /// A turn of words.
    pub fn say(words: &str) -> Self {
        Self::Say(words.to_owned())
    }

    /// The same turn, once the file `gate` is there.
    pub fn once(gate: impl Into<PathBuf>, step: Self) -> Self {
        Self::Once(gate.into(), Box::new(step))
    }

    /// A call of the tool whose name is or ends in `tool`.
    pub fn call(tool: &str, arguments: Value) -> Self {
        Self::Call(tool.to_owned(), arguments)
    }
}

impl Refusal {
    /// Refuses every request with the HTTP status `status`; `kind` is the provider's word for it.
    pub fn always(status: u16, kind: &str, message: &str) -> Self {
        let (kind, message) = (kind.to_owned(), message.to_owned());
        Self { status, headers: Vec::new(), kind, message, more: Map::new(), times: usize::MAX }
    }

    /// Adds a field to what the body tells of the error.
    pub fn field(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.more.insert(name.to_owned(), value.into());
        self
    }

    /// Refuses the first `times` requests only.
    pub fn times(mut self, times: usize) -> Self {
        self.times = times;
        self
    }

    /// Adds a header; what HTTP would not carry is left out.
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}
