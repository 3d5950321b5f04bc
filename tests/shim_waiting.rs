//! Calls that take a while: cancelled, repeated, crowded, and in need of a store that is not there.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{
    raw_store::{Answer, RawStore, header},
    shim::{Shim, error_code, tool_result},
};

fn progress(message: &str) -> Value {
    json!({"name": "record_progress", "arguments": {"message": message}})
}

fn cancel(id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

#[test]
fn a_call_is_recorded_under_the_runs_token_and_its_text_is_the_result() {
    let store = RawStore::present();
    let mut shim = Shim::from(store.shim()).initialize();
    shim.begin("tools/call", &progress("half way"));
    let request = store.signals(1).remove(0);
    assert!(request.starts_with("POST /v1/run/signals "), "{request}");
    assert!(
        request.ends_with(r#"{"tool":"record_progress","arguments":{"message":"half way"}}"#),
        "{request}"
    );
    assert_eq!(header(&request, "authorization"), format!("Bearer {}", crate::support::raw_store::TOKEN));
    store.answer(Answer::Recorded("recorded; go on"));
    let answer = shim.next();
    assert_eq!(tool_result(&answer), (false, "recorded; go on".to_owned()));
    assert!(answer["result"].get("structuredContent").is_none(), "{answer}");
    shim.leave();
}

#[test]
fn a_cancelled_call_is_never_answered_and_the_server_lives_on() {
    let store = RawStore::present();
    let mut shim = Shim::from(store.shim()).initialize();
    let id = json!(shim.begin("tools/call", &progress("one")));
    store.signals(1);
    shim.send(&cancel(&id));
    store.answer(Answer::Recorded("too late"));
    shim.expect_nothing_but_a_ping();

    // Its id is not free at once: an answer under it could be taken for that of the cancelled call.
    shim.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
    assert_eq!(error_code(&shim.next()), -32600);
    shim.expect_nothing_but_a_ping();

    shim.begin("tools/call", &progress("two"));
    store.signals(2);
    store.answer(Answer::Recorded("recorded"));
    assert_eq!(tool_result(&shim.next()), (false, "recorded".to_owned()));
    shim.leave();
}

#[test]
fn a_cancellation_of_nothing_changes_nothing() {
    let store = RawStore::present();
    let mut shim = Shim::from(store.shim()).initialize();
    let finished = json!(1);
    let open = shim.begin("tools/call", &progress("one"));
    store.signals(1);
    for id in [finished, json!(open.to_string()), json!(999), json!(null), json!([open]), json!({"id": open})]
    {
        shim.send(&cancel(&id));
    }
    shim.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}}));
    shim.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}));
    shim.expect_nothing_but_a_ping();
    store.answer(Answer::Recorded("recorded"));
    let answer = shim.next();
    assert_eq!((answer["id"].as_i64(), tool_result(&answer).0), (Some(open), false));
    shim.leave();
}

#[test]
fn a_progress_token_of_any_kind_brings_the_answer_and_nothing_else() {
    let store = RawStore::present();
    let mut shim = Shim::from(store.shim()).initialize();
    for (count, token) in [json!("tok"), json!(7), json!(0), json!(null), json!(1.5)].into_iter().enumerate()
    {
        let mut call = progress("m");
        call["_meta"] = json!({"progressToken": token});
        let id = shim.begin("tools/call", &call);
        store.signals(count + 1);
        store.answer(Answer::Recorded("recorded"));
        assert_eq!(shim.next()["id"], id);
        shim.expect_nothing_but_a_ping();
    }
    shim.leave();
}

#[test]
fn one_slow_call_holds_up_no_other() {
    let store = RawStore::present();
    let mut shim = Shim::from(store.shim()).initialize();
    let slow = shim.begin("tools/call", &progress("slow"));
    store.signals(1);
    shim.expect_nothing_but_a_ping();
    assert!(shim.ask("tools/list", &json!({}))["result"]["tools"].is_array());
    assert!(shim.call("record_progress", &json!({})).1.contains("`message` is required"));
    store.answer(Answer::Recorded("recorded"));
    assert_eq!(shim.next()["id"], slow);
    shim.leave();
}

#[test]
fn too_many_calls_at_once_are_refused_and_the_others_answered() {
    let store = RawStore::present();
    let mut shim = Shim::from(store.shim()).initialize();
    for _ in 0..64 {
        shim.begin("tools/call", &progress("m"));
    }
    store.signals(64);
    let (is_error, text) = shim.call("record_progress", &json!({"message": "m"}));
    assert!(is_error && text.contains("too many calls are open at once"), "{text}");
    (0..64).for_each(|_| store.answer(Answer::Recorded("recorded")));
    for _ in 0..64 {
        assert_eq!(tool_result(&shim.next()), (false, "recorded".to_owned()));
    }
    shim.leave();
}

#[test]
fn a_cancelled_call_makes_room_for_another() {
    let store = RawStore::present();
    let mut shim = Shim::from(store.shim()).initialize();
    for count in 1..=130 {
        let id = json!(shim.begin("tools/call", &progress("m")));
        store.signals(count);
        shim.send(&cancel(&id));
    }
    shim.leave();
}

#[test]
fn a_call_waits_for_a_store_that_restarts_and_is_repeated_under_the_same_key() {
    let mut store = RawStore::absent();
    let mut shim = Shim::from(store.shim()).initialize();
    shim.begin("tools/call", &progress("m"));
    shim.expect_nothing_but_a_ping();
    store.appear();
    store.signals(1);
    store.answer(Answer::HangUp);
    store.signals(2);
    store.answer(Answer::Status(503, r#"{"code":"stopping","message":"the store is stopping","hint":null}"#));
    store.signals(3);
    store.answer(Answer::Recorded("recorded"));
    assert_eq!(tool_result(&shim.next()), (false, "recorded".to_owned()));
    let signals = store.signals(3);
    let keys: Vec<&str> = signals.iter().map(|signal| header(signal, "idempotency-key")).collect();
    assert!(keys[0].len() > 20 && keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    shim.leave();
}

#[test]
fn without_a_store_the_agent_hears_so_before_its_own_limit() {
    for store in [RawStore::absent(), RawStore::present()] {
        let mut command = store.shim();
        command.env("CALLBOX_TOOL_LIMIT", "3");
        let mut shim = Shim::from(command).initialize();
        let begun = Instant::now();
        let (is_error, text) = shim.call("record_progress", &json!({"message": "m"}));
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
        assert!(is_error && text.starts_with("`record_progress` was not recorded: the store did not answer"));
        assert!(text.contains("call again"), "{text}");
        shim.leave();
    }
}

#[test]
fn a_refusal_is_told_at_once_with_what_to_do() {
    let store = RawStore::present();
    let mut shim = Shim::from(store.shim()).initialize();
    shim.begin("tools/call", &progress("m"));
    let body = r#"{"code":"revoked","message":"execution `x1` has ended","hint":null}"#;
    store.answer(Answer::Status(403, body));
    let (is_error, text) = tool_result(&shim.next());
    assert!(is_error);
    assert_eq!(
        text,
        "`record_progress` was not recorded: execution `x1` has ended; this run is over; stop working."
    );
    shim.leave();
}

#[test]
fn a_call_made_again_by_a_client_that_names_its_calls_has_the_same_key_in_another_process() {
    let store = RawStore::present();
    for count in 1..=2 {
        let mut shim = Shim::from(store.shim()).initialize();
        let mut call = progress("m");
        call["_meta"] = json!({"claudecode/toolUseId": "toolu_1", "progressToken": count});
        shim.begin("tools/call", &call);
        store.signals(count);
        // Dropped: the shim is killed before it can answer.
    }
    let signals = store.signals(2);
    assert_eq!(header(&signals[0], "idempotency-key"), header(&signals[1], "idempotency-key"));
}

#[test]
fn calls_of_a_client_that_names_none_have_keys_of_their_own() {
    let store = RawStore::present();
    for count in 1..=2 {
        let mut shim = Shim::from(store.shim()).initialize();
        shim.begin("tools/call", &progress("m"));
        store.signals(count);
    }
    let signals = store.signals(2);
    assert_ne!(header(&signals[0], "idempotency-key"), header(&signals[1], "idempotency-key"));
}

#[test]
fn neither_token_nor_path_is_ever_said() {
    let mut said = String::new();
    for store in [RawStore::absent(), RawStore::present()] {
        store.answer(Answer::HangUp);
        let mut command = store.shim();
        command.env("CALLBOX_TOOL_LIMIT", "1").env("RUST_LOG", "trace").stderr(std::process::Stdio::piped());
        let mut child = command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        child = child.env("RUST_BACKTRACE", "full");
        let mut child = child.spawn().unwrap();
        let first = crate::support::shim::initialize_params("2025-11-25");
        let mut input = child.stdin.take().unwrap();
        let requests = [
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": first}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
            json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": progress("m")}),
        ];
        for request in requests {
            std::io::Write::write_all(&mut input, format!("{request}\nno JSON\n").as_bytes()).unwrap();
        }
        let pid = child.id();
        let argv = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap();
        let stdout = child.stdout.take().unwrap();
        let mut lines = std::io::BufRead::lines(std::io::BufReader::new(stdout));
        for _ in 0..3 {
            said += &lines.next().unwrap().unwrap();
        }
        drop(input);
        let output = child.wait_with_output().unwrap();
        said += &argv;
        said += &String::from_utf8(output.stderr).unwrap();
        assert!(!said.contains("canary"), "{said}");
        assert!(!said.contains(store.folder().to_str().unwrap()), "{said}");
    }
    assert!(said.contains("was not recorded"), "{said}");
}
