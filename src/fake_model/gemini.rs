//! The Gemini API, as far as Gemini CLI uses it.

use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value, json};

use super::{
    Request,
    dialect::{Dialect, Speech, stream},
};

/// The Gemini API, of the provider's two ways to it.
pub(super) struct Contents;

impl Dialect for Contents {
    fn asks(&self, path: &str) -> bool {
        matches!(method(path), Some("generateContent" | "streamGenerateContent"))
    }

    fn aside(&self, path: &str) -> Option<Value> {
        (method(path) == Some("countTokens")).then(|| json!({"totalTokens": 10}))
    }

    fn offered(&self, body: &Value) -> Vec<String> {
        let tools = body.get("tools").and_then(Value::as_array).into_iter().flatten();
        let declared = tools.filter_map(|tool| tool["functionDeclarations"].as_array()).flatten();
        declared.filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect()
    }

    fn spoken(&self, body: &Value) -> usize {
        contents(body, "model").count()
    }

    fn said(&self, body: &Value) -> Vec<String> {
        contents(body, "user").flat_map(texts).collect()
    }

    fn system(&self, body: &Value) -> String {
        texts(&body["systemInstruction"]).join("\n")
    }

    fn tool_results(&self, body: &Value) -> Vec<Value> {
        let parts = contents(body, "user").filter_map(|content| content["parts"].as_array()).flatten();
        parts.map(|part| &part["functionResponse"]).filter(|result| result.is_object()).cloned().collect()
    }

    fn turn(&self, request: &Request, number: usize, speech: &Speech) -> Response {
        let part = match speech {
            Speech::Words(words) => json!({"text": words}),
            Speech::Call(name, arguments) => {
                json!({"functionCall": {"id": format!("call{number:08}"), "name": name, "args": arguments}})
            }
        };
        let model = model(&request.path).unwrap_or_default();
        // Of what it thought, and of nothing else, the total alone tells.
        let answer = json!({
            "candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0, "finishReason": "STOP"}],
            "usageMetadata": {
                "promptTokenCount": 1000, "cachedContentTokenCount": 50, "candidatesTokenCount": 20,
                "thoughtsTokenCount": 5, "totalTokenCount": 1025,
            },
            "modelVersion": model,
            "responseId": format!("response{number:08}"),
        });
        match method(&request.path) {
            Some("streamGenerateContent") => stream(format!("data: {answer}\n\n")),
            _ => axum::Json(answer).into_response(),
        }
    }

    fn refusal(&self, status: u16, kind: &str, message: &str, more: &Map<String, Value>) -> Value {
        let mut error = more.clone();
        error.extend([
            ("code".to_owned(), status.into()),
            ("message".to_owned(), message.into()),
            ("status".to_owned(), kind.into()),
        ]);
        json!({"error": error})
    }
}

/// What is asked of a model, such as `generateContent`.
fn method(path: &str) -> Option<&str> {
    path.rsplit_once("/models/")?.1.split_once(':').map(|(_, method)| method)
}

/// Of which model.
fn model(path: &str) -> Option<&str> {
    path.rsplit_once("/models/")?.1.split_once(':').map(|(model, _)| model)
}

/// What `role` said in the history.
fn contents<'a>(body: &'a Value, role: &'a str) -> impl Iterator<Item = &'a Value> {
    let contents = body.get("contents").and_then(Value::as_array);
    contents.into_iter().flatten().filter(move |content| content["role"] == role)
}

/// The texts of a content.
fn texts(content: &Value) -> Vec<String> {
    let parts = content["parts"].as_array().into_iter().flatten();
    parts.filter_map(|part| part["text"].as_str()).map(str::to_owned).collect()
}
