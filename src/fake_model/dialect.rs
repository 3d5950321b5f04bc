//! What differs between the APIs of providers. Each has a file of its own that is its [`Dialect`].

use axum::{
    http::header,
    response::{IntoResponse as _, Response},
};
use serde_json::{Map, Value};

use super::{
    Request, anthropic::Messages, choose::among, completions::Completions, gemini::Contents,
    openai::Responses,
};

/// The API of one provider: how to read what an agent program asks, and how to phrase an answer.
pub(super) trait Dialect: Sync {
    /// Whether a request to `path` asks the model for its next turn.
    fn asks(&self, path: &str) -> bool;

    /// The answer to a request of this API that does not ask for a turn, such as for a count of tokens; `None`
    /// where `path` is not of this API.
    fn aside(&self, path: &str) -> Option<Value>;

    /// The names of the tools that are offered, each as its program calls it in full.
    fn offered(&self, body: &Value) -> Vec<String>;

    /// The full name under which the model calls `tool`, found among the `offered` by the end of its name.
    fn called(&self, body: &Value, offered: &[String], tool: &str) -> Option<String> {
        let _ = body;
        among(offered, tool)
    }

    /// How often the model has spoken in the history.
    fn spoken(&self, body: &Value) -> usize;

    /// Every text that was said to the model in the user's place, the oldest first.
    fn said(&self, body: &Value) -> Vec<String>;

    /// The system prompt, in one piece.
    fn system(&self, body: &Value) -> String;

    /// The answers of tools, the oldest first, as they stand there.
    fn tool_results(&self, body: &Value) -> Vec<Value>;

    /// The model's turn `number` in answer to `request`, which makes `speech`.
    fn turn(&self, request: &Request, number: usize, speech: &Speech) -> Response;

    /// The body of a refusal with this status, the provider's word for it, what it says and further fields.
    fn refusal(&self, status: u16, kind: &str, message: &str, more: &Map<String, Value>) -> Value;
}

/// What the model says in one turn.
#[derive(Debug)]
pub(super) enum Speech {
    /// Words, which end the turn.
    Words(String),
    /// A call of the tool that is offered under this name.
    Call(String, Value),
}

/// Every API that is spoken.
const DIALECTS: [&dyn Dialect; 4] = [&Messages, &Contents, &Responses, &Completions];

/// The API in which a request to `path` asks for a turn.
pub(super) fn asked_at(path: &str) -> Option<&'static dyn Dialect> {
    DIALECTS.into_iter().find(|dialect| dialect.asks(path))
}

/// The answer to what is asked aside at `path`.
pub(super) fn aside(path: &str) -> Option<Value> {
    DIALECTS.into_iter().find_map(|dialect| dialect.aside(path))
}

/// A stream of events: the whole `body`, at once.
pub(super) fn stream(body: String) -> Response {
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}
