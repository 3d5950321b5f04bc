//! A request, as it is kept to be looked at.

use axum::http::HeaderMap;
use serde_json::Value;

/// One request of an agent program.
#[derive(Debug, Clone)]
pub struct Request {
    /// Such as `/v1/messages`.
    pub path: String,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body; null where that is no JSON.
    pub body: Value,
}

impl Request {
    /// The names of the tools it offers.
    pub fn offered(&self) -> Vec<String> {
        let tools = self.body.get("tools").and_then(Value::as_array);
        tools.into_iter().flatten().filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect()
    }

    /// How often the model has spoken in its history.
    pub fn spoken(&self) -> usize {
        self.messages("assistant").len()
    }

    /// Every text that was said to the model in the user's place, the oldest first.
    pub fn said(&self) -> Vec<String> {
        self.messages("user").into_iter().flat_map(texts).collect()
    }

    /// The system prompt, in one piece.
    pub fn system(&self) -> String {
        texts(&self.body["system"]).join("\n")
    }

    /// The answers of tools, the oldest first.
    pub fn tool_results(&self) -> Vec<Value> {
        let blocks = self.messages("user").into_iter().filter_map(Value::as_array).flatten();
        blocks.filter(|block| block["type"] == "tool_result").cloned().collect()
    }

    fn messages(&self, role: &str) -> Vec<&Value> {
        let messages = self.body.get("messages").and_then(Value::as_array);
        messages
            .into_iter()
            .flatten()
            .filter(|message| message["role"] == role)
            .map(|message| &message["content"])
            .collect()
    }
}

/// The texts of a content: a string, or blocks.
fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}
