//! What a JSON line of a described agent program means.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the lines mean in which all of `when` stands and nothing of `unless`. Every other field but `turn` and `ends` is a JSON pointer (RFC
/// 6901) to where the line says it; what it does not say is not taken from it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LineRule {
    /// JSON pointers with the values that must stand there. A text that ends in `*` stands for all that begin so.
    pub when: BTreeMap<String, Value>,
    /// The same, of which none may stand there.
    pub unless: BTreeMap<String, Value>,
    /// The id of the conversation.
    pub session: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// What the agent said. The last of it is its final message.
    pub said: Option<String>,
    /// The tool that is called.
    pub tool: Option<String>,
    /// Its arguments.
    pub input: Option<String>,
    /// The id of a call, by which `denied` finds it.
    pub call: Option<String>,
    /// The id of a call that was denied.
    pub denied: Option<String>,
    /// The words in which it tells that it lost the shim and does not start it again.
    pub unheard: Option<String>,
    /// Dollars used. Like all numbers of use it is added up over a run.
    pub cost_usd: Option<String>,
    /// Tokens read.
    #[serde(deserialize_with = "one_or_more")]
    pub tokens_in: Vec<String>,
    /// Tokens written.
    #[serde(deserialize_with = "one_or_more")]
    pub tokens_out: Vec<String>,
    /// What went wrong, in words.
    pub error: Option<String>,
    /// The HTTP status with which the provider refused.
    pub status: Option<String>,
    /// After how many seconds the provider is to be asked again.
    pub retry_after: Option<String>,
    /// Whether such a line proves that the model took its turn. One behind the end takes the end back.
    pub turn: bool,
    /// Whether the run is over with such a line, and how it went. Of several rules for one line the first decides.
    pub ends: Option<LineEnd>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineEnd {
    /// As it should.
    Well,
    /// Otherwise.
    Badly,
}

impl LineRule {
    /// Every JSON pointer it holds.
    pub fn pointers(&self) -> impl Iterator<Item = &String> {
        let single = [
            &self.session,
            &self.model,
            &self.said,
            &self.tool,
            &self.input,
            &self.call,
            &self.denied,
            &self.unheard,
            &self.cost_usd,
            &self.error,
            &self.status,
            &self.retry_after,
        ];
        let several = self.tokens_in.iter().chain(&self.tokens_out);
        self.when.keys().chain(self.unless.keys()).chain(single.into_iter().flatten()).chain(several)
    }
}

fn one_or_more<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        One(String),
        More(Vec<String>),
    }
    Ok(match Given::deserialize(deserializer)? {
        Given::One(pointer) => vec![pointer],
        Given::More(pointers) => pointers,
    })
}
