//! The MCP Inspector, a client that others wrote, against the real shim in every era it speaks.

use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{
    programs::inspector,
    raw_store::{Answer, RawStore, TOKEN},
    shim::SHIM,
};

const ERAS: [&str; 3] = ["legacy", "auto", "modern"];

/// The Inspector with a shim that speaks to `store`.
fn with(store: &RawStore, home: &TempDir, words: &[&str]) -> Option<Command> {
    let mut command = inspector(home.path())?;
    command.arg(SHIM).args(words);
    command.arg("-e").arg(format!("CALLBOX_SOCKET={}", store.socket().display()));
    command.arg("-e").arg(format!("CALLBOX_TOKEN={TOKEN}"));
    Some(command)
}

#[track_caller]
fn ended(output: &Output, code: i32) -> String {
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{stdout}\n{stderr}");
    stdout
}

#[test]
fn it_lists_the_four_tools_in_every_era_and_finds_nothing_that_some_client_would_refuse() {
    let (store, home) = (RawStore::absent(), TempDir::new().unwrap());
    for era in ERAS {
        let words = ["--method", "tools/list", "--strict", "--protocol-era", era];
        let Some(mut command) = with(&store, &home, &words) else { return };
        let output = command.output().unwrap();
        let list: Value = serde_json::from_str(&ended(&output, 0)).unwrap();
        let names: Vec<&str> =
            list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["ask_user", "record_progress", "report_summary", "spawn_subtask"], "{era}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{era}");
    }
}

#[test]
fn it_calls_a_tool_in_every_era_and_tells_a_record_from_a_refusal() {
    let (store, home) = (RawStore::present(), TempDir::new().unwrap());
    for era in ERAS {
        let call = |tool, arguments| {
            let words = [
                "--method",
                "tools/call",
                "--tool-name",
                tool,
                "--tool-args-json",
                arguments,
                "-q",
                "--format",
                "json",
                "--protocol-era",
                era,
            ];
            with(&store, &home, &words)
        };
        let Some(mut good) = call("report_summary", r#"{"summary": "did it"}"#) else { return };
        store.answer(Answer::Recorded("recorded; end your turn"));
        let stdout = ended(&good.output().unwrap(), 0);
        assert!(stdout.contains("recorded; end your turn"), "{era}: {stdout}");
        let Some(mut bad) = call("report_summary", r#"{"summary": ""}"#) else { return };
        let stdout = ended(&bad.output().unwrap(), 5);
        assert!(stdout.contains("`summary` must have 1 to 20000 characters"), "{era}: {stdout}");
        let Some(mut unknown) = call("no_such_tool", "{}") else { return };
        ended(&unknown.output().unwrap(), 5);
    }
}

#[test]
fn under_its_load_every_call_is_recorded() {
    let (store, home) = (RawStore::present(), TempDir::new().unwrap());
    (0..500).for_each(|_| store.answer(Answer::Recorded("recorded")));
    let words = [
        "--method",
        "tools/call",
        "--tool-name",
        "record_progress",
        "--tool-args-json",
        r#"{"message": "m"}"#,
        "--load",
        "--load-requests",
        "500",
        "--load-concurrency",
        "20",
        "-q",
    ];
    let Some(mut command) = with(&store, &home, &words) else { return };
    let report: Value = serde_json::from_str(&ended(&command.output().unwrap(), 0)).unwrap();
    assert_eq!((&report["ok"], &report["errorRate"]), (&500.into(), &0.into()), "{report}");
}
