//! `callbox-mcp call`: the tools without MCP.

use std::{
    io::Write as _,
    process::{Command, Output, Stdio},
};

use crate::support::{
    raw_store::{Answer, RawStore, header},
    shim::shim_command,
};

fn run(mut command: Command, words: &[&str]) -> Output {
    command.args(words).stdin(Stdio::null()).output().unwrap()
}

#[track_caller]
fn ended(output: &Output, code: i32) -> (String, String) {
    let stdout = String::from_utf8(output.stdout.clone()).unwrap();
    let stderr = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{stdout}{stderr}");
    (stdout, stderr)
}

#[test]
fn a_recorded_call_prints_what_the_agent_is_told() {
    let store = RawStore::present();
    store.answer(Answer::Recorded("recorded as q1; end your turn now"));
    let output = run(store.shim(), &["call", "ask_user", r#"{"question": "Which?"}"#]);
    assert_eq!(ended(&output, 0), ("recorded as q1; end your turn now\n".to_owned(), String::new()));
    let request = store.signals(1).remove(0);
    assert!(request.ends_with(r#"{"tool":"ask_user","arguments":{"question":"Which?"}}"#), "{request}");
    assert_eq!(header(&request, "authorization"), format!("Bearer {}", crate::support::raw_store::TOKEN));
}

#[test]
fn long_arguments_may_come_on_standard_input() {
    let store = RawStore::present();
    store.answer(Answer::Recorded("recorded"));
    let mut command = store.shim();
    command.args(["call", "report_summary", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let summary = "s".repeat(20_000);
    child.stdin.take().unwrap().write_all(format!(r#"{{"summary":"{summary}"}}"#).as_bytes()).unwrap();
    assert_eq!(ended(&child.wait_with_output().unwrap(), 0).0, "recorded\n");
    assert!(store.signals(1)[0].contains(&summary));
}

#[test]
fn a_call_that_was_not_recorded_says_why_and_fails() {
    let store = RawStore::present();
    let (stdout, stderr) = ended(&run(store.shim(), &["call", "ask_user", "{}"]), 1);
    assert_eq!(
        (stdout.as_str(), stderr.as_str()),
        ("", "`ask_user` was not recorded: `question` is required; correct it and call again.\n")
    );

    let body = r#"{"code":"cap_reached","message":"20 subtasks exist already","hint":null}"#;
    store.answer(Answer::Status(409, body));
    let arguments = r#"{"name": "n", "instructions": "i"}"#;
    let (_, stderr) = ended(&run(store.shim(), &["call", "spawn_subtask", arguments]), 1);
    assert!(stderr.contains("20 subtasks exist already; go on without it"), "{stderr}");

    let (_, stderr) = ended(&run(shim_command(), &["call", "ask_user", r#"{"question": "?"}"#]), 1);
    assert!(stderr.contains("`CALLBOX_SOCKET` is not set"), "{stderr}");

    let mut alone = RawStore::absent().shim();
    alone.env("CALLBOX_TOOL_LIMIT", "1");
    let (_, stderr) = ended(&run(alone, &["call", "ask_user", r#"{"question": "?"}"#]), 1);
    assert!(stderr.contains("call again") && !stderr.contains("canary"), "{stderr}");
}

#[test]
fn wrong_usage_is_told_apart_from_a_call_that_failed() {
    for words in [
        &["call"][..],
        &["call", "ask_user"],
        &["call", "ask_user", "{}", "more"],
        &["call", "no_such", "{}"],
        &["call", "ask_user", "no JSON"],
        &["call", "ask_user", "[]"],
        &["--verbose"],
        &["--ask-as"],
        &["--ask-as", "report_summary"],
    ] {
        let (stdout, stderr) = ended(&run(shim_command(), words), 2);
        assert!(stdout.is_empty() && stderr.starts_with("error: ") && stderr.contains("usage: "), "{stderr}");
    }
}

#[test]
fn version_and_help_are_printed() {
    let (stdout, _) = ended(&run(shim_command(), &["--version"]), 0);
    assert_eq!(stdout, format!("callbox-mcp {}\n", env!("CARGO_PKG_VERSION")));
    let (stdout, _) = ended(&run(shim_command(), &["--help"]), 0);
    let variables = ["CALLBOX_SOCKET", "CALLBOX_TOKEN", "CALLBOX_EXECUTION", "CALLBOX_TOOL_LIMIT"];
    for word in ["call TOOL JSON", "--ask-as NAME"].into_iter().chain(variables) {
        assert!(stdout.contains(word), "{word}");
    }
}
