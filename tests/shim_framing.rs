//! What the shim makes of lines, good and bad: each request gets its answer, under its own id.

use serde_json::{Value, json};

use crate::support::{
    raw_store::{Answer, RawStore},
    shim::{Shim, error_code, tool_result},
};

const LIMIT: usize = 4 << 20;

/// A progress call whose arguments are good, so that without a store it hears of the store.
fn call_line(id: &str, message: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"record_progress","arguments":{{"message":{message}}}}}}}"#
    )
}

#[track_caller]
fn refusal(shim: &mut Shim, line: &str) -> (Value, i64) {
    shim.send_line(line);
    let answer = shim.next();
    (answer.get("id").cloned().unwrap_or(Value::Null), error_code(&answer))
}

#[test]
fn a_line_that_is_no_json_is_answered_by_its_id_where_one_can_be_read() {
    let mut shim = Shim::initialized();
    assert_eq!(refusal(&mut shim, r#"{"jsonrpc":"2.0","id":7,"method":"ping","#), (json!(7), -32700));
    assert_eq!(refusal(&mut shim, r#"{"id":"a","method":"ping"]"#), (json!("a"), -32700));
    shim.send_line("{");
    shim.send_line("what?");
    shim.expect_nothing_but_a_ping();
    shim.leave();
}

#[test]
fn scalars_and_junk_are_passed_over_and_batches_answered_by_id() {
    let mut shim = Shim::initialized();
    for junk in ["5", "null", "true", "\"text\"", "{}", "[]", "[{}]", r#"[{"jsonrpc":"2.0","method":"n"}]"#] {
        shim.send_line(junk);
    }
    shim.expect_nothing_but_a_ping();
    shim.send_line(
        r#"[{"jsonrpc":"2.0","id":7,"method":"ping"},{"jsonrpc":"2.0","id":"b","method":"ping"}]"#,
    );
    for id in [json!(7), json!("b")] {
        let answer = shim.next();
        assert_eq!((&answer["id"], error_code(&answer)), (&id, -32600));
    }
    shim.leave();
}

#[test]
fn bytes_that_are_no_utf_8_do_not_cost_the_answer() {
    let mut shim = Shim::initialized();
    let mut line = call_line("7", "\"a?b\"").into_bytes();
    let place = line.iter().position(|&byte| byte == b'?').unwrap();
    line[place] = 0xff;
    shim.send_line(line);
    let answer = shim.next();
    assert_eq!(answer["id"], 7);
    assert!(tool_result(&answer).1.contains("CALLBOX_SOCKET"), "{answer}");
    shim.leave();
}

#[test]
fn a_lone_surrogate_is_an_error_with_its_id() {
    let mut shim = Shim::initialized();
    assert_eq!(refusal(&mut shim, &call_line("7", r#""\ud800""#)), (json!(7), -32700));
    shim.leave();
}

#[test]
fn deep_nesting_is_an_error_with_its_id_and_a_hundred_levels_are_fine() {
    let mut shim = Shim::initialized();
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(refusal(&mut shim, &call_line("7", &nested(127))), (json!(7), -32700));
    assert_eq!(refusal(&mut shim, &call_line("8", &nested(100_000))), (json!(8), -32700));
    shim.send_line(call_line("9", &nested(100)));
    assert_eq!(
        tool_result(&shim.next()).1,
        "`record_progress` was not recorded: `message` must be a string, and is an array; correct it and call again."
    );
    shim.leave();
}

#[test]
fn a_line_up_to_the_limit_is_served() {
    let mut shim = Shim::initialized();
    let frame = call_line("7", "\"\"").len();
    shim.send_line(call_line("7", &format!("\"{}\"", "x".repeat(LIMIT - frame))));
    let answer = shim.next();
    assert!(tool_result(&answer).1.contains("1 to 500 characters"), "{answer}");
    shim.leave();
}

#[test]
fn a_line_over_the_limit_is_an_error_with_its_id_and_is_not_kept_in_memory() {
    let mut shim = Shim::initialized();
    for (id, mebibytes) in [(7, 10), (8, 20), (9, 100)] {
        let long = "x".repeat(mebibytes << 20);
        // Once with the id before the text and once behind it.
        assert_eq!(
            refusal(&mut shim, &call_line(&id.to_string(), &format!("\"{long}\""))),
            (json!(id), -32600)
        );
        let late =
            format!(r#"{{"jsonrpc":"2.0","params":{{"id":1,"text":"{long}"}},"method":"ping","id":{id}}}"#);
        assert_eq!(refusal(&mut shim, &late), (json!(id), -32600));
    }
    shim.expect_nothing_but_a_ping();
    assert!(shim.status_field("VmHWM") < 40 << 10, "{} KiB", shim.status_field("VmHWM"));
    shim.leave();
}

#[test]
fn an_over_long_line_that_is_never_ended_holds_no_memory() {
    let mut shim = Shim::initialized();
    for _ in 0..40 {
        shim.send_bytes(&vec![b'x'; 1 << 20]);
    }
    assert!(shim.status_field("VmRSS") < 40 << 10, "{} KiB", shim.status_field("VmRSS"));
    shim.send_bytes(b"\n");
    shim.expect_nothing_but_a_ping();
    shim.leave();
}

#[test]
fn blanks_line_ends_and_a_byte_order_mark_do_not_matter() {
    let mut shim = Shim::initialized();
    let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    for line in
        [format!("{ping}\r"), format!("  {ping}\t "), format!("\u{feff}{ping}"), format!("\n\r\n  \n{ping}")]
    {
        shim.send_line(line);
        let answer = shim.next();
        assert_eq!((&answer["id"], &answer["result"]), (&json!(7), &json!({})));
    }
    shim.leave();
}

#[test]
fn an_id_that_is_none_is_refused_without_one() {
    let mut shim = Shim::initialized();
    for id in ["null", "1.5", "true", "[1]", "9223372036854775808"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        assert_eq!(refusal(&mut shim, &line), (Value::Null, -32600), "{id}");
    }
    shim.leave();
}

#[test]
fn an_id_comes_back_exactly_as_it_was() {
    let mut shim = Shim::initialized();
    let long = format!("\"{}\"", "x".repeat(300));
    for (id, back) in [
        ("\"abc\"", json!("abc")),
        ("\"\"", json!("")),
        ("\"7\"", json!("7")),
        ("-1", json!(-1)),
        ("0", json!(0)),
        ("9007199254740993", json!(9_007_199_254_740_993_i64)),
        (&long, json!("x".repeat(300))),
        ("1.0", json!(1)),
        ("1e3", json!(1000)),
    ] {
        shim.send_line(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        let answer = shim.next();
        assert_eq!((&answer["id"], &answer["result"]), (&back, &json!({})));
    }
    shim.leave();
}

#[test]
fn a_request_that_is_no_json_rpc_is_an_error_with_its_id() {
    let mut shim = Shim::initialized();
    for line in [
        r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#,
        r#"{"id":7,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":5}"#,
    ] {
        assert_eq!(refusal(&mut shim, line), (json!(7), -32600), "{line}");
    }
    shim.leave();
}

#[test]
fn an_unknown_method_and_an_unknown_tool_are_named() {
    let mut shim = Shim::initialized();
    let answer = shim.ask("no/such", &json!({}));
    assert_eq!(error_code(&answer), -32601);
    assert!(answer["error"]["message"].as_str().unwrap().contains("`no/such`"), "{answer}");
    let answer = shim.ask("tools/call", &json!({"name": "no_such", "arguments": {}}));
    assert_eq!(error_code(&answer), -32602);
    assert!(answer["error"]["message"].as_str().unwrap().contains("`no_such`"), "{answer}");
    for method in ["resources/list", "prompts/list", "logging/setLevel", "completion/complete"] {
        let code = error_code(&shim.ask(method, &json!({"level": "info"})));
        assert!([-32601, -32602].contains(&code), "{method}: {code}");
    }
    shim.leave();
}

#[test]
fn a_tools_call_without_sense_is_an_invalid_request_and_not_an_unknown_method() {
    let mut shim = Shim::initialized();
    for params in [
        json!({"name": "ask_user", "arguments": []}),
        json!({"name": "ask_user", "arguments": "text"}),
        json!({"arguments": {}}),
        json!({"name": 5}),
        json!({}),
    ] {
        assert_eq!(error_code(&shim.ask("tools/call", &params)), -32602, "{params}");
    }
    shim.leave();
}

#[test]
fn wrong_arguments_are_a_result_that_names_the_argument() {
    let mut shim = Shim::initialized();
    for (arguments, names) in [
        (json!({}), "`question` is required"),
        (json!({"question": 5}), "`question` must be a string, and is a number"),
        (json!({"question": "?", "task_id": "t1"}), "`task_id` is no argument of `ask_user`"),
        (json!({"question": "x".repeat(4_001)}), "has 4001"),
        (json!({"question": "?", "options": "yes"}), "`options` must be an array of strings"),
    ] {
        let (is_error, text) = shim.call("ask_user", &arguments);
        assert!(is_error && text.contains(names), "{text}");
    }
    shim.leave();
}

#[test]
fn absent_arguments_are_none() {
    let mut shim = Shim::initialized();
    for params in [json!({"name": "ask_user"}), json!({"name": "ask_user", "arguments": null})] {
        let (is_error, text) = tool_result(&shim.ask("tools/call", &params));
        assert!(is_error && text.contains("`question` is required"), "{text}");
    }
    shim.leave();
}

#[test]
fn a_whole_float_is_an_integer() {
    let mut shim = Shim::initialized();
    for (percent, is_good) in
        [(json!(5.0), true), (json!("5"), true), (json!(5.5), false), (json!(101), false)]
    {
        let (_, text) = shim.call("record_progress", &json!({"message": "m", "percent": percent}));
        assert_eq!(text.contains("CALLBOX_SOCKET"), is_good, "{text}");
    }
    shim.leave();
}

#[test]
fn one_id_twice_in_flight_refuses_the_second_and_keeps_the_first() {
    let store = RawStore::present();
    let mut shim = Shim::from(store.shim()).initialize();
    shim.send_line(call_line("7", "\"one\""));
    store.signals(1);
    assert_eq!(refusal(&mut shim, &call_line("7", "\"two\"")), (json!(7), -32600));
    store.answer(Answer::Recorded("recorded"));
    let answer = shim.next();
    assert_eq!((answer["id"].as_i64(), tool_result(&answer)), (Some(7), (false, "recorded".to_owned())));
    assert_eq!(store.signals(1).len(), 1);

    // After the answer the id is free.
    shim.send_line(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#);
    assert_eq!(shim.next()["result"], json!({}));
    shim.leave();
}

#[test]
fn a_last_line_without_its_end_is_served() {
    let mut shim = Shim::initialized();
    shim.send_bytes(br#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#);
    shim.close_input();
    let rest = shim.rest();
    assert_eq!(rest, [json!({"jsonrpc": "2.0", "id": 7, "result": {}})]);
    assert_eq!(shim.end().0.code(), Some(0));
}

#[test]
fn a_refusal_is_still_said_when_the_input_ends_behind_it() {
    let mut shim = Shim::start();
    shim.send_bytes(br#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#);
    shim.close_input();
    let rest = shim.rest();
    assert_eq!(rest.len(), 1);
    assert_eq!(error_code(&rest[0]), -32600);
}
