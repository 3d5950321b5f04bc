use serde_json::{Value, json};

use super::*;

/// What is said to the person of `events`.
fn notices(events: &[Value]) -> Vec<String> {
    let mut reader = ClaudeReader::default();
    let read = events.iter().flat_map(|event| reader.line(event.to_string().as_bytes()));
    let notice = |read| match read {
        Read::Fact(Fact::Notice { text }) => Some(text),
        _ => None,
    };
    read.filter_map(notice).collect()
}

fn init(slow: &str) -> Value {
    let servers = json!([{"name": "callbox", "status": "connected"}, {"name": "slow", "status": slow}]);
    json!({"type": "system", "subtype": "init", "session_id": "s", "mcp_servers": servers})
}

fn call() -> Value {
    let block = json!({"type": "tool_use", "id": "c1", "name": "mcp__slow__look", "input": {}});
    json!({"type": "assistant", "message": {"id": "m1", "model": "big", "content": [block]}})
}

fn answer(failed: bool) -> Value {
    let block = json!({"type": "tool_result", "tool_use_id": "c1", "content": "x", "is_error": failed});
    json!({"type": "user", "message": {"content": [block]}})
}

fn result() -> Value {
    json!({"type": "result", "subtype": "success", "is_error": false, "result": "done", "session_id": "s"})
}

#[test]
fn a_server_that_was_being_started_is_said_once_unless_it_was_heard_of_since() {
    let never = ["the MCP server `slow` was still being started"];
    let failed = ["the MCP server `slow` does not work (its status is `failed`)"];
    let refused = [init("pending"), call(), answer(true), result()];
    for (events, said) in [
        (&[init("pending"), result(), init("pending"), result()][..], &never[..]),
        (&refused, &never),
        (&[init("pending"), call(), answer(false), result()], &[]),
        (&[init("pending"), init("connected"), result()], &[]),
        (&[init("pending"), init("failed"), result()], &failed),
        (&[init("connected"), result()], &[]),
    ] {
        let notices = notices(events);
        assert_eq!(notices.len(), said.len(), "{events:?}: {notices:?}");
        assert!(notices.iter().zip(said).all(|(notice, said)| notice.starts_with(said)), "{notices:?}");
    }
}
