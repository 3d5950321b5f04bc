//! A request, as it is kept to be looked at.

use axum::http::HeaderMap;
use serde_json::Value;

use super::dialect::{Dialect, asked_at};

/// One request of an agent program, in whatever dialect. What asks for no turn of the model offers nothing and
/// says nothing.
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
        self.read(Dialect::offered)
    }

    /// How often the model has spoken in its history.
    pub fn spoken(&self) -> usize {
        self.read(Dialect::spoken)
    }

    /// Every text that was said to the model in the user's place, the oldest first.
    pub fn said(&self) -> Vec<String> {
        self.read(Dialect::said)
    }

    /// The system prompt, in one piece.
    pub fn system(&self) -> String {
        self.read(Dialect::system)
    }

    /// The answers of tools, the oldest first.
    pub fn tool_results(&self) -> Vec<Value> {
        self.read(Dialect::tool_results)
    }

    /// The full name under which the model calls `tool`, which is among the `offered`.
    pub(super) fn called(&self, offered: &[String], tool: &str) -> Option<String> {
        asked_at(&self.path)?.called(&self.body, offered, tool)
    }

    fn read<T: Default>(&self, what: fn(&'static dyn Dialect, &Value) -> T) -> T {
        asked_at(&self.path).map(|dialect| what(dialect, &self.body)).unwrap_or_default()
    }
}
