//! Who may say what: the token decides for which execution, and no agent decides as its person does.

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use crate::support::{
    held_run::{HeldRun, HeldRuns, call_named},
    raw_request::{PLAIN, refused, request},
};

/// A token of the right form that nobody was given.
const UNKNOWN: &str = "cbx_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Calls a tool under `token`; whether it was refused, and what the agent is told.
fn call(runs: &HeldRuns, token: &str) -> (bool, String) {
    runs.shim(token).call("record_progress", &json!({"message": "hello"}))
}

/// Sends a signal byte by byte, with these headers beside those that every request has.
#[track_caller]
fn signal(runs: &HeldRuns, headers: &[(&str, &str)]) -> (u16, Value) {
    let socket = runs.desk.state().join("agent/agent.sock");
    let headers = [&PLAIN[..], &[("idempotency-key", "k")], headers].concat();
    let body = r#"{"tool": "record_progress", "arguments": {"message": "hello"}}"#;
    request(&socket, "POST /v1/run/signals", &headers, body)
}

#[test]
fn without_a_token_nothing_is_said_and_the_variable_is_named() {
    let (runs, run) = HeldRuns::one();
    let (is_error, text) = call(&runs, "");
    assert!(is_error && text.contains("`CALLBOX_TOKEN` is not set"), "{text}");
    refused(&signal(&runs, &[]), 401, "unauthorized");
    let bearer = format!("Bearer {}", run.token);
    let twice = [("authorization", bearer.as_str()), ("authorization", &bearer)];
    refused(&signal(&runs, &twice), 401, "unauthorized");
    refused(&signal(&runs, &[("authorization", &format!("Basic {}", run.token))]), 401, "unauthorized");
    assert_eq!(runs.said(&run.task), ["at work"]);
}

#[test]
fn a_token_that_the_store_does_not_know_is_refused_with_its_reason() {
    let (runs, run) = HeldRuns::one();
    let (elsewhere, theirs) = HeldRuns::one();
    let cut = &run.token[..run.token.len() - 1];
    for token in [UNKNOWN, &theirs.token, cut] {
        let (is_error, text) = call(&runs, token);
        assert!(is_error && text.starts_with("`record_progress` was not recorded: "), "{text}");
        assert!(text.contains("token") && !text.contains(token), "{text}");
        refused(&signal(&runs, &[("authorization", &format!("Bearer {token}"))]), 401, "unauthorized");
    }
    assert_eq!(runs.said(&run.task), ["at work"]);
    assert_eq!(elsewhere.said(&theirs.task), ["at work"]);
}

#[test]
fn the_token_of_a_run_that_has_ended_is_worth_nothing() {
    let (runs, run) = HeldRuns::one();
    runs.cancel(&run);
    let (is_error, text) = call(&runs, &run.token);
    assert!(is_error && text.contains("this run has ended"), "{text}");
    let bearer = format!("Bearer {}", run.token);
    let message = refused(&signal(&runs, &[("authorization", &bearer)]), 403, "revoked");
    assert!(message.contains("this run has ended"), "{message}");
    let socket = runs.desk.state().join("agent/agent.sock");
    let headers = [&PLAIN[..], &[("authorization", &bearer)]].concat();
    refused(&request(&socket, "GET /v1/run", &headers, ""), 403, "revoked");
    assert_eq!(runs.said(&run.task), ["at work"]);
}

#[test]
fn what_is_said_belongs_to_the_execution_of_the_token_whatever_is_asked_for() {
    let (runs, one) = HeldRuns::one();
    let two = runs.begin();
    let mut command = runs.shim_command(&two.token);
    command.env("CALLBOX_EXECUTION", &one.execution).env("CALLBOX_TASK", &one.task);
    let mut shim = crate::support::shim::Shim::from(command).initialize();
    for field in ["task", "execution", "run", "token", "parent"] {
        let mut arguments = json!({"message": "for another"});
        arguments[field] = json!(one.task);
        let (is_error, text) = shim.call("record_progress", &arguments);
        assert!(is_error && text.contains(&format!("`{field}`")), "{text}");
    }
    let (is_error, text) = shim.call("record_progress", &json!({"message": "mine"}));
    assert!(!is_error, "{text}");
    assert_eq!(runs.said(&two.task), ["at work", "mine"]);

    let bearer = format!("Bearer {}", two.token);
    let asked_for = [("authorization", bearer.as_str()), ("callbox-execution", &one.execution)];
    assert_eq!(signal(&runs, &asked_for).0, 200);
    assert_eq!(runs.said(&two.task), ["at work", "mine", "hello"]);
    assert_eq!(runs.said(&one.task), ["at work"]);
    let socket = runs.desk.state().join("agent/agent.sock");
    let headers = [&PLAIN[..], &[("authorization", &bearer)]].concat();
    let (_, identity) = request(&socket, "GET /v1/run", &headers, "");
    assert_eq!((&identity["task"], &identity["execution"]), (&json!(two.task), &json!(two.execution)));
}

/// Texts and actors of the events of a kind, oldest first.
fn events(runs: &HeldRuns, kind: &str) -> Vec<(String, Option<String>)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(runs.desk.state().join("callbox.db"), flags).unwrap();
    let mut found = database.prepare("SELECT text, actor FROM events WHERE kind = ?1 ORDER BY seq").unwrap();
    let rows = found.query_map([kind], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn a_call_from_elsewhere_is_an_event_of_the_run_and_one_of_its_own_is_not() {
    let (runs, run) = HeldRuns::one();
    assert_eq!(events(&runs, "stranger"), []);
    let mut shim = runs.shim(&run.token);
    let message = json!({"message": "hello"});
    for _ in 0..2 {
        let (is_error, text) = call_named(&mut shim, "toolu_1", "record_progress", &message);
        assert!(!is_error, "{text}");
    }
    let told = format!("a call came from outside the run's processes: callbox-mcp (process {})", shim.pid());
    assert_eq!(events(&runs, "stranger"), [(told, None)]);
}

#[test]
fn a_decision_tells_who_made_it() {
    let (runs, run) = HeldRuns::one();
    let state = runs.desk.state();
    let cancelled = runs.desk.callbox(["cancel", &run.task, "--state", state.to_str().unwrap()]).start();
    let actor = format!("callbox (process {})", cancelled.pid());
    cancelled.end().expect(0);
    let decided = |(_, by): &(String, Option<String>)| by.as_deref() == Some(&actor);
    let found = [events(&runs, "state"), events(&runs, "cancel")].concat();
    assert!(found.iter().any(decided), "no {actor:?} in {found:?}");
}

/// Every request of the operator plane, about this run.
fn operator_requests(run: &HeldRun) -> Vec<(String, &'static str)> {
    let task = |what: &str| format!("/v1/tasks/{}{what}", run.task);
    vec![
        ("GET /v1/status".to_owned(), ""),
        ("GET /v1/tasks".to_owned(), ""),
        ("POST /v1/tasks".to_owned(), "{}"),
        (format!("GET {}", task("")), ""),
        (format!("GET {}", task("/why")), ""),
        (format!("POST {}", task("/cancel")), "{}"),
        (format!("POST {}", task("/start")), "{}"),
        (format!("POST {}", task("/resume")), "{}"),
        ("GET /v1/questions".to_owned(), ""),
        ("POST /v1/questions/q1/answer".to_owned(), r#"{"answer": "red"}"#),
        ("GET /v1/events".to_owned(), ""),
        (format!("GET /v1/executions/{}/log?kind=raw", run.execution), ""),
        ("POST /v1/attach".to_owned(), "{}"),
    ]
}

#[test]
fn a_token_opens_no_other_plane() {
    let (runs, run) = HeldRuns::one();
    let (is_error, text) = runs.shim(&run.token).call("ask_user", &json!({"question": "Which?"}));
    assert!(!is_error, "{text}");
    let (agent, store) =
        (runs.desk.state().join("agent/agent.sock"), runs.desk.state().join("operator/store.sock"));
    let bearer = format!("Bearer {}", run.token);
    let headers = [&PLAIN[..], &[("authorization", &bearer)]].concat();
    for (request_line, body) in operator_requests(&run) {
        refused(&request(&store, &request_line, &headers, body), 403, "forbidden_peer");
        let (status, error) = request(&agent, &request_line, &headers, body);
        assert_eq!((status, &error["code"]), (404, &json!("not_found")), "{request_line}: {error}");
    }
    let report = r#"{"number": 9, "at": "2026-11-30T08:00:00Z", "body": {"kind": "started", "pid": 1, "version": "1"}}"#;
    for socket in [&agent, &store] {
        for (line, body) in [("GET /v1/supervise/orders", ""), ("POST /v1/supervise/report", report)] {
            let (status, error) = request(socket, line, &headers, body);
            let known = if socket == &agent { (404, "not_found") } else { (401, "unauthorized") };
            assert_eq!((status, error["code"].as_str().unwrap()), known, "{line}: {error}");
        }
    }
    let shown = runs.show(&run.task);
    assert_eq!(
        (&shown["task"]["state"], &shown["questions"][0]["state"]),
        (&json!("running"), &json!("open"))
    );
}

#[test]
fn browsers_and_requests_for_another_host_are_refused_at_both_sockets() {
    let (runs, run) = HeldRuns::one();
    let bearer = format!("Bearer {}", run.token);
    let version = ("callbox-version", "1");
    for (socket, line) in [("agent/agent.sock", "GET /v1/run"), ("operator/store.sock", "GET /v1/tasks")] {
        let socket = runs.desk.state().join(socket);
        for headers in [
            vec![("host", "callbox"), ("origin", "http://callbox")],
            vec![("host", "callbox"), ("origin", "null")],
            vec![("host", "callbox"), ("sec-fetch-site", "same-origin")],
            vec![("host", "evil.example")],
            vec![("host", "localhost:8000")],
            vec![],
        ] {
            let headers = [&headers[..], &[version, ("authorization", &bearer)]].concat();
            refused(&request(&socket, line, &headers, ""), 403, "forbidden_origin");
        }
        let beyond = line.replace("/v1", "http://evil.example/v1");
        refused(&request(&socket, &beyond, &PLAIN, ""), 403, "forbidden_origin");
    }
    assert_eq!(runs.desk.callbox(["ls", "--json"]).end().expect(0).json()[0]["state"], "running");
}
