//! Whatever a client mixes on one connection, each of its requests is answered once.

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use crate::support::shim::Shim;

/// A line, where `ID` stands for the place of its request; those with one are owed an answer.
fn line() -> impl Strategy<Value = &'static str> {
    select(vec![
        r#"{"jsonrpc":"2.0","id":ID,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":ID,"method":"tools/list","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"ask_user","arguments":{"question":"?"}}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"ask_user","arguments":[]}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":ID,"method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"method":"server/discover"}"#,
        r#"{"jsonrpc":"2.0","id":ID,"method":"subscriptions/listen","params":{"notifications":{}}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"method":"no/such"}"#,
        r#"{"jsonrpc":"1.0","id":ID,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":ID,"method":5}"#,
        r#"{"jsonrpc":"2.0","id":ID,"method":"ping","params":{"text":"\ud800"}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"method":"ping","params":{"#,
        r#"[{"jsonrpc":"2.0","id":ID,"method":"ping"}]"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody"}}"#,
        r#"{"jsonrpc":"2.0","method":"no/such/notification","params":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","id":1000000,"result":{}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}"#,
        "{}",
        "null",
        "[]",
        "",
        "text",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_request_is_answered_exactly_once(
        before in vec(line(), 0..6),
        after in vec(line(), 0..40),
        cut in 1usize..400,
    ) {
        let opening = r#"{"jsonrpc":"2.0","id":ID,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
        let lines = before.iter().chain([&opening]).chain(&after);
        let mut owed = Vec::new();
        let mut text = String::new();
        for (place, line) in lines.enumerate() {
            if line.contains("ID") {
                owed.push(json!(place));
            }
            text += &line.replace("ID", &place.to_string());
            text.push('\n');
        }
        let mut shim = Shim::start();
        for piece in text.as_bytes().chunks(cut) {
            shim.send_bytes(piece);
        }
        shim.close_input();
        let mut answered: Vec<Value> = shim.rest().into_iter().map(|answer| answer["id"].clone()).collect();
        answered.sort_unstable_by_key(Value::as_i64);
        prop_assert_eq!(answered, owed);
        prop_assert_eq!(shim.end().0.code(), Some(0));
    }
}
