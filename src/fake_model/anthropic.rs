//! The Messages API, as far as Claude Code uses it.

use std::{fmt::Write as _, future, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header},
    response::{IntoResponse as _, Response},
    routing::{any, post},
};
use serde_json::{Value, json};

use super::{
    Refusal, Request, Shared,
    choose::{Reply, reply},
};

/// Tokens that every message is said to take.
const USAGE: [(&str, u64); 4] = [
    ("input_tokens", 1000),
    ("cache_creation_input_tokens", 100),
    ("cache_read_input_tokens", 50),
    ("output_tokens", 20),
];

/// The routes. Whatever else is asked is not found, and kept too.
pub(super) fn routes(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/v1/messages", post(messages))
        .route("/v1/messages/count_tokens", post(count_tokens))
        .route("/", any(|| async { StatusCode::OK }))
        .fallback(not_found)
        .layer(DefaultBodyLimit::disable())
        .with_state(shared)
}

async fn messages(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let request = request(&uri, headers, &body);
    let (number, asked) = shared.keep(request.clone());
    let mut due = reply(&shared.script, &request, asked);
    while let Reply::Once(gate, step) = due {
        while !gate.exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        due = *step;
    }
    let (block, stop) = match due {
        Reply::Never | Reply::Once(..) => future::pending().await,
        Reply::Refused(refusal) => return refused(refusal),
        Reply::Words(words) => (json!({"type": "text", "text": words}), "end_turn"),
        Reply::Call(name, arguments) => {
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

async fn count_tokens(
    State(shared): State<Arc<Shared>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    shared.keep(request(&uri, headers, &body));
    axum::Json(json!({"input_tokens": 10})).into_response()
}

async fn not_found(
    State(shared): State<Arc<Shared>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    shared.keep(request(&uri, headers, &body));
    StatusCode::NOT_FOUND
}

fn request(uri: &Uri, headers: HeaderMap, body: &[u8]) -> Request {
    Request {
        path: uri.path().to_owned(),
        headers,
        body: serde_json::from_slice(body).unwrap_or(Value::Null),
    }
}

fn refused(refusal: Refusal) -> Response {
    let mut response = axum::Json(refusal.body).into_response();
    *response.status_mut() =
        StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in refusal.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
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
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}
