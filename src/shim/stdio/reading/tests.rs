use proptest::prelude::*;
use rmcp::model::RequestMetaObject;
use serde_json::json;

use super::*;

fn read_text(line: &str) -> Reading {
    read(&Line::Whole(line.as_bytes().to_vec()))
}

#[track_caller]
fn refusals(line: &str) -> Vec<(Value, i64)> {
    match read_text(line) {
        Reading::Refused(answers) => answers
            .into_iter()
            .map(|answer| {
                let answer = serde_json::to_value(answer).unwrap();
                (answer.get("id").cloned().unwrap_or(Value::Null), answer["error"]["code"].as_i64().unwrap())
            })
            .collect(),
        other => panic!("not refused: {other:?}"),
    }
}

#[track_caller]
fn passed_on(line: &str) -> Value {
    match read_text(line) {
        Reading::Message(message) => serde_json::to_value(message).unwrap(),
        other => panic!("not passed on: {other:?}"),
    }
}

#[test]
fn blanks_line_ends_and_a_byte_order_mark_do_not_matter() {
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for line in ["{P}", " \t{P}  ", "{P}\r", "\u{feff}{P}"] {
        assert_eq!(passed_on(&line.replace("{P}", &ping.to_string())), ping);
    }
    for line in ["", "  ", "\r", "\u{feff}"] {
        assert!(matches!(read_text(line), Reading::Nothing));
    }
}

#[test]
fn an_id_is_passed_on_as_it_came_and_a_whole_float_as_its_integer() {
    for (given, passed) in [
        ("\"abc\"", json!("abc")),
        ("\"\"", json!("")),
        ("\"1\"", json!("1")),
        ("-1", json!(-1)),
        ("9007199254740993", json!(9_007_199_254_740_993_i64)),
        ("1.0", json!(1)),
        ("1e3", json!(1000)),
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{given},"method":"ping"}}"#);
        assert_eq!(passed_on(&line)["id"], passed);
    }
}

#[test]
fn an_id_that_is_none_is_refused_without_one() {
    for id in ["null", "1.5", "true", "[1]", "{}", "9223372036854775808", "1e300"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        assert_eq!(refusals(&line), [(Value::Null, -32600)], "{line}");
    }
}

#[test]
fn a_request_that_is_no_json_rpc_is_refused_with_its_id() {
    for line in [
        r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#,
        r#"{"id":7,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"ping","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":5}"#,
        r#"{"jsonrpc":"2.0","id":7}"#,
    ] {
        assert_eq!(refusals(line), [(json!(7), -32600)], "{line}");
    }
}

#[test]
fn a_line_that_is_no_json_is_refused_with_its_id_where_one_can_be_read() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"x","arguments":{{"a":{}{}}}}}}}"#,
        "[".repeat(127),
        "]".repeat(127)
    );
    for line in [
        r#"{"jsonrpc":"2.0","id":7,"method":"ping""#,
        r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"text":"\ud800"}}"#,
        &deep,
    ] {
        assert_eq!(refusals(line), [(json!(7), -32700)], "{line}");
    }
    for line in ["hello", "{", "5", "\"text\"", "null", "{}", "[]", "[1]", r#"{"id":7,"result":"#] {
        assert!(matches!(read_text(line), Reading::Unanswerable(_)), "{line}");
    }
}

#[test]
fn each_request_of_a_batch_is_refused_with_its_id() {
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"n"},
        {"jsonrpc":"2.0","id":"b","method":"ping"},{"jsonrpc":"2.0","id":3,"result":{}}]"#;
    assert_eq!(refusals(&batch.replace('\n', "")), [(json!(1), -32600), (json!("b"), -32600)]);
}

#[test]
fn bytes_that_are_no_utf_8_are_replaced() {
    let line = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}".to_vec();
    assert!(matches!(read(&Line::Whole(line)), Reading::Message(_)));
}

#[test]
fn a_tools_call_whose_params_make_no_sense_still_reaches_the_server() {
    for params in [r#"{"arguments":{}}"#, r#"{"name":"x","arguments":[]}"#, r#"{"name":5}"#] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        assert_eq!(passed_on(&line)["method"], "tools/call");
    }
}

#[test]
fn answers_and_notifications_are_passed_on_and_broken_ones_are_never_answered() {
    passed_on(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
    passed_on(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    passed_on(r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":null}"#);
    for line in [r#"{"method":"notifications/initialized"}"#, r#"{"jsonrpc":"2.0","method":"n","params":5}"#]
    {
        assert!(matches!(read_text(line), Reading::Unanswerable(_)), "{line}");
    }
}

proptest! {
    #[test]
    fn a_request_with_an_id_is_never_met_with_silence(
        id in any::<i32>(),
        method in "[a-z/]{0,12}",
        params in "(\\{\\}|null|\\[1\\]|\\{\"name\":\"x\"\\}|5|\\{|\"\\\\ud800\")",
        version in "(\"2\\.0\"|\"1\\.0\"|2)",
        end in "(\\}|\\}\\}|,\\})",
    ) {
        let line = format!(
            r#"{{"jsonrpc":{version},"id":{id},"method":"{method}","params":{params}{end}"#
        );
        let heard = matches!(read_text(&line), Reading::Message(_) | Reading::Refused(_));
        prop_assert!(heard, "{}", line);
    }

    #[test]
    fn a_tool_call_is_read_as_rmcp_reads_it(
        name in "(\"name\":(\"x\"|5|null),)?",
        meta in "(\"_meta\":(\\{\"progressToken\":(7|\"t\"|\\[\\])\\}|\\{\\}|null|5),)?",
        arguments in "(\"arguments\":(\\{\"a\":1\\.50,\"b\":\\[null\\]\\}|null|\\[\\]),)?",
        state in "(\"requestState\":(\"s\"|6|null),)?",
        more in "\"more\":(1|\\{\\})",
    ) {
        let params = format!("{{{name}{meta}{arguments}{state}{more}}}");
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        let fields: Map<String, Value> = serde_json::from_str(&line).unwrap();
        let theirs = match serde_json::from_str::<RxJsonRpcMessage<RoleServer>>(&line) {
            Ok(JsonRpcMessage::Request(message)) => match message.request {
                ClientRequest::CallToolRequest(call) => Some(call),
                _ => None,
            },
            _ => None,
        };
        let ours = match tool_call(&fields) {
            Some(ClientRequest::CallToolRequest(call)) => Some(call),
            Some(other) => panic!("no call: {other:?}"),
            None => None,
        };
        let read = |call: CallToolRequest| {
            let meta = call.extensions.get::<RequestMetaObject>().cloned();
            (call.params, meta)
        };
        prop_assert_eq!(ours.map(read), theirs.map(read), "{}", line);
    }

    #[test]
    fn no_line_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        read(&Line::Whole(bytes));
    }
}
