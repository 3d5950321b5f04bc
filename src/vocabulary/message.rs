//! A message to an agent, in passages whose author is known.

use serde::{Deserialize, Serialize};

/// Stands before what a tool's result says besides: messages that came while the agent worked.
pub const CAME_MEANWHILE: &str = "callbox: this has come for you meanwhile:";

/// What callbox says to an agent. Foreign passages are written by the adapter in whatever way its
/// program takes as plain text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Message(Vec<Passage>);

/// A stretch of one author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Passage {
    /// Callbox's own words, or instructions by the person who submitted the task.
    Own(String),
    /// Anybody else's: answers, reports, an agent's instructions for a subtask.
    Foreign(String),
}

impl Message {
    /// A message wholly in callbox's own words.
    pub fn own(text: impl Into<String>) -> Self {
        Self(vec![Passage::Own(text.into())])
    }

    /// The whole text, foreign passages as `quote` writes them.
    pub fn text(&self, quote: impl Fn(&str) -> String) -> String {
        self.0
            .iter()
            .map(|passage| match passage {
                Passage::Own(text) => text.clone(),
                Passage::Foreign(text) => quote(text),
            })
            .collect()
    }
}

/// Builds a [`Message`] passage by passage.
#[derive(Debug, Default)]
pub struct MessageBuilder(Vec<Passage>);

impl MessageBuilder {
    /// Adds callbox's own words.
    pub fn own(&mut self, text: &str) -> &mut Self {
        self.own_text().push_str(text);
        self
    }

    /// Adds anybody else's words.
    pub fn foreign(&mut self, text: &str) -> &mut Self {
        self.0.push(Passage::Foreign(text.to_owned()));
        self
    }

    /// The own passage at the end, to be written to.
    pub fn own_text(&mut self) -> &mut String {
        if !matches!(self.0.last(), Some(Passage::Own(_))) {
            self.0.push(Passage::Own(String::new()));
        }
        match self.0.last_mut() {
            Some(Passage::Own(text)) => text,
            _ => unreachable!("an own passage was just put at the end"),
        }
    }

    /// The message.
    pub fn finish(&mut self) -> Message {
        Message(std::mem::take(&mut self.0))
    }
}
