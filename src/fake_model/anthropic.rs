//! The Messages API, as far as Claude Code uses it.

use std::fmt::Write as _;

use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value, json};

use super::{
    Request,
    dialect::{Dialect, Speech, stream},
};

/// Tokens that every message is said to take.
const USAGE: [(&str, u64); 4] = [
    ("input_tokens", 1000),
    ("cache_creation_input_tokens", 100),
    ("cache_read_input_tokens", 50),
    ("output_tokens", 20),
];

/// The Messages API.
pub(super) struct Messages;

impl Dialect for Messages {
    fn asks(&self, path: &str) -> bool {
        path == "/v1/messages"
    }

    fn aside(&self, path: &str) -> Option<Value> {
        (path == "/v1/messages/count_tokens").then(|| json!({"input_tokens": 10}))
    }

    fn offered(&self, body: &Value) -> Vec<String> {
        let tools = body.get("tools").and_then(Value::as_array);
        tools.into_iter().flatten().filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect()
    }

    fn spoken(&self, body: &Value) -> usize {
        messages(body, "assistant").len()
    }

    fn said(&self, body: &Value) -> Vec<String> {
        messages(body, "user").into_iter().flat_map(texts).collect()
    }

    fn system(&self, body: &Value) -> String {
        texts(&body["system"]).join("\n")
    }

    fn tool_results(&self, body: &Value) -> Vec<Value> {
        let blocks = messages(body, "user").into_iter().filter_map(Value::as_array).flatten();
        blocks.filter(|block| block["type"] == "tool_result").cloned().collect()
    }

    fn turn(&self, request: &Request, number: usize, speech: &Speech) -> Response {
        let (block, stop) = match speech {
            Speech::Words(words) => (json!({"type": "text", "text": words}), "end_turn"),
            Speech::Call(name, arguments) => {
                let id = format!("toolu_{number:08}");
                (json!({"type": "tool_use", "id": id, "name": name, "input": arguments}), "tool_use")
            }
        };
        let mut message = json!({
            "id": format!("msg_{number:08}"), "type": "message", "role": "assistant", "model": request.body["model"],
            "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage(),
        });
        if request.body["stream"] == true {
            return streamed(&message, &block, stop);
        }
        message["content"] = json!([block]);
        message["stop_reason"] = json!(stop);
        axum::Json(message).into_response()
    }

    fn refusal(&self, _: u16, kind: &str, message: &str, more: &Map<String, Value>) -> Value {
        let mut error = more.clone();
        error.extend([("type".to_owned(), kind.into()), ("message".to_owned(), message.into())]);
        json!({"type": "error", "error": error})
    }
}

fn usage() -> Value {
    Value::Object(USAGE.into_iter().map(|(name, tokens)| (name.to_owned(), json!(tokens))).collect())
}

/// The events in which a message of one block is streamed.
fn streamed(message: &Value, block: &Value, stop: &str) -> Response {
    let (empty, delta) = if block["type"] == "text" {
        (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": block["text"]}))
    } else {
        let mut empty = block.clone();
        empty["input"] = json!({});
        (empty, json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}))
    };
    let events = [
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": empty}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": 20}}),
        json!({"type": "message_stop"}),
    ];
    let mut body = String::new();
    for event in events {
        let name = event["type"].as_str().unwrap_or_default();
        // Writing to a string does not fail.
        let _ = writeln!(body, "event: {name}\ndata: {event}\n");
    }
    stream(body)
}

/// The contents of the messages in the history that `role` said.
fn messages<'a>(body: &'a Value, role: &str) -> Vec<&'a Value> {
    let messages = body.get("messages").and_then(Value::as_array);
    let messages = messages.into_iter().flatten().filter(|message| message["role"] == role);
    messages.map(|message| &message["content"]).collect()
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
