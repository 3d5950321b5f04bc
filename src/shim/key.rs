//! The key under which a call is recorded once.
//!
//! An agent program that starts its shim again may make the same call again, and only what names the
//! call for that program tells the two from two calls. The JSON-RPC id does not: it counts from 0 in
//! each process.

use serde_json::{Map, Value};

use crate::vocabulary::{SCRIPTED_CALL, call_key, silent_call_key, unnamed_call_key};

/// The key for a call that came with `meta`: made of the client's own id for the call where it sends
/// one, else a new one.
pub(super) fn for_call(meta: &Map<String, Value>) -> String {
    client_key(meta).unwrap_or_else(unnamed_call_key)
}

fn client_key(meta: &Map<String, Value>) -> Option<String> {
    let text = |name: &str| meta.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    // Claude Code 2.1.332.
    if let Some(id) = text("claudecode/toolUseId") {
        return Some(call_key("claude", id));
    }
    if let Some(id) = text(SCRIPTED_CALL) {
        return Some(call_key("scripted", id));
    }
    // Codex 0.171.0. Its `itemId` names what its model wrote, which may be a script of many calls.
    let call = text("callId")?;
    Some(silent_call_key("codex", &format!("{}:{call}", text("threadId")?)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn key(meta: &Value) -> String {
        for_call(meta.as_object().unwrap())
    }

    #[test]
    fn the_same_call_of_a_client_that_names_its_calls_has_the_same_key() {
        assert_eq!(key(&json!({"claudecode/toolUseId": "toolu_1", "progressToken": 5})), "claude:toolu_1");
        assert_eq!(key(&json!({"callbox/callId": "3"})), "scripted:3");
        let codex = |thread: &str, call: &str| {
            key(&json!({"threadId": thread, "callId": call, "itemId": "i1", "sessionId": "s"}))
        };
        assert_eq!(codex("th", "c1"), "call:codex:th:c1");
        assert_ne!(codex("a", "c1"), codex("b", "c1"));
        assert_ne!(codex("a", "c1"), codex("a", "c2"), "two calls of one script are two");
    }

    #[test]
    fn without_such_a_name_each_call_has_a_key_of_its_own() {
        for meta in [
            json!({}),
            json!({"progressToken": 1}),
            json!({"itemId": "i1"}),
            json!({"callId": 5, "threadId": "a"}),
        ] {
            assert_ne!(key(&meta), key(&meta));
        }
    }
}
