//! Chat completions, the API that most programs speak to providers they were not made for.

use std::fmt::Write as _;

use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value, json};

use super::{
    Request,
    dialect::{Dialect, Speech, stream},
};

/// What Qwen Code has the model say before it says anything.
const NEVER_SAID: &str = "Got it. Thanks for the context!";

/// The chat completions API.
pub(super) struct Completions;

impl Dialect for Completions {
    fn asks(&self, path: &str) -> bool {
        path == "/v1/chat/completions"
    }

    fn aside(&self, _: &str) -> Option<Value> {
        None
    }

    fn offered(&self, body: &Value) -> Vec<String> {
        let tools = body["tools"].as_array().into_iter().flatten();
        tools.filter_map(|tool| tool["function"]["name"].as_str()).map(str::to_owned).collect()
    }

    fn spoken(&self, body: &Value) -> usize {
        by(body, &["assistant"]).filter(|message| texts(message) != [NEVER_SAID]).count()
    }

    fn said(&self, body: &Value) -> Vec<String> {
        by(body, &["user"]).flat_map(texts).collect()
    }

    fn system(&self, body: &Value) -> String {
        by(body, &["system", "developer"]).flat_map(texts).collect::<Vec<_>>().join("\n")
    }

    fn tool_results(&self, body: &Value) -> Vec<Value> {
        by(body, &["tool"]).cloned().collect()
    }

    fn turn(&self, request: &Request, number: usize, speech: &Speech) -> Response {
        let (message, reason) = match speech {
            Speech::Words(words) => (json!({"role": "assistant", "content": words}), "stop"),
            Speech::Call(name, arguments) => (
                json!({"role": "assistant", "content": null, "tool_calls": [{
                    "index": 0, "id": format!("call_{number:08}"), "type": "function",
                    "function": {"name": name, "arguments": arguments.to_string()},
                }]}),
                "tool_calls",
            ),
        };
        let head =
            json!({"id": format!("chatcmpl-{number:08}"), "created": 0, "model": request.body["model"]});
        if request.body["stream"] == true {
            return streamed(&head, &message, reason);
        }
        let mut answer = head;
        answer["object"] = json!("chat.completion");
        answer["choices"] = json!([{"index": 0, "message": message, "finish_reason": reason}]);
        answer["usage"] = usage();
        axum::Json(answer).into_response()
    }

    fn refusal(&self, _: u16, kind: &str, message: &str, more: &Map<String, Value>) -> Value {
        let mut error = more.clone();
        for (name, value) in [("type", kind), ("code", kind), ("message", message)] {
            error.insert(name.to_owned(), value.into());
        }
        json!({ "error": error })
    }
}

/// Tokens that every message is said to take, the cached and the reasoning ones among them.
fn usage() -> Value {
    json!({
        "prompt_tokens": 1000, "prompt_tokens_details": {"cached_tokens": 100},
        "completion_tokens": 20, "completion_tokens_details": {"reasoning_tokens": 5}, "total_tokens": 1020,
    })
}

/// The chunks in which `message` is streamed: the message, its end, what it took.
fn streamed(head: &Value, message: &Value, reason: &str) -> Response {
    let chunks = [
        json!([{"index": 0, "delta": message, "finish_reason": null}]),
        json!([{"index": 0, "delta": {}, "finish_reason": reason}]),
        json!([]),
    ];
    let last = chunks.len() - 1;
    let mut body = String::new();
    for (place, choices) in chunks.into_iter().enumerate() {
        let mut chunk = head.clone();
        chunk["object"] = json!("chat.completion.chunk");
        chunk["choices"] = choices;
        if place == last {
            chunk["usage"] = usage();
        }
        // Writing to a string does not fail.
        let _ = writeln!(body, "data: {chunk}\n");
    }
    body.push_str("data: [DONE]\n\n");
    stream(body)
}

/// The messages of the history that one of `roles` said.
fn by<'a>(body: &'a Value, roles: &'a [&str]) -> impl Iterator<Item = &'a Value> {
    let messages = body["messages"].as_array().into_iter().flatten();
    messages.filter(move |message| message["role"].as_str().is_some_and(|role| roles.contains(&role)))
}

/// The texts of a message: a string, or blocks.
fn texts(message: &Value) -> Vec<String> {
    match &message["content"] {
        Value::String(text) => vec![text.clone()],
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}
