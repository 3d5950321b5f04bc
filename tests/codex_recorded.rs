//! The reader of Codex against recorded output of the real program, whole and broken. The records are made by
//! `codex_adapter` and `codex_refused` where `CALLBOX_RECORD_FIXTURES` names their folder.

use callbox::{
    agents::{self, Beforehand, Catalogue},
    vocabulary::{AgentEnd, Exit, Fact, Permissions},
};
use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

use crate::support::recorded::{Recorded, is_event, noise, value, word};

const CODEX: Recorded = Recorded { agent: "codex", folder: "codex-0.171.0" };

/// Every record, the status the program exited with, and what it comes to.
const RECORDS: [(&str, i32, &str); 14] = [
    ("classic", 0, "finished"),
    ("denied", 0, "finished"),
    ("four-tools", 0, "finished"),
    ("fresh", 0, "finished"),
    ("hostile", 0, "finished"),
    ("refused-400", 1, "failed provider"),
    ("refused-401", 143, "auth"),
    ("refused-429", 1, "rate limited"),
    ("refused-503", 1, "rate limited"),
    ("refused-limit", 1, "rate limited until 2096-10-02T07:07:00.000Z"),
    ("refused-quota", 1, "failed provider"),
    ("resumed", 0, "finished"),
    ("retried", 0, "finished"),
    ("stopped", 143, "failed agent_error"),
];

/// What lines begin with in which the model says or does something.
const SPOKEN: &[u8] = b"{\"type\":\"item.";

#[test]
fn every_record_comes_to_what_really_happened() {
    for (name, status, expected) in RECORDS {
        assert_eq!(CODEX.end(&CODEX.lines(name), Exit::Code(status)), expected, "{name}");
    }
    assert_eq!(CODEX.count(), RECORDS.len(), "a record is not listed here");
}

#[test]
fn without_the_end_of_its_turn_no_run_went_well() {
    let is_end = |line: &Vec<u8>| is_event(line, "turn.completed") || is_event(line, "turn.failed");
    for (name, status, _) in RECORDS {
        let lines: Vec<_> = CODEX.lines(name).into_iter().filter(|line| !is_end(line)).collect();
        assert_ne!(CODEX.end(&lines, Exit::Code(status)), "finished", "{name}");
    }
}

#[test]
fn a_run_without_a_word_fails_with_its_status_and_its_last_words() {
    CODEX.needs_a_word();
}

#[test]
fn a_good_end_outlives_the_signal_that_ended_its_program_and_no_other_status() {
    CODEX.outlives_signals([1, 70]);
}

#[test]
fn what_comes_behind_the_end_of_a_turn_takes_it_back() {
    CODEX.is_taken_back(SPOKEN);
}

#[test]
fn a_good_end_without_a_word_of_the_model_is_a_failure() {
    let lines: Vec<_> = CODEX.lines("fresh").into_iter().filter(|line| !line.starts_with(SPOKEN)).collect();
    assert_eq!(CODEX.end(&lines, Exit::Code(0)), "failed no_turn");
}

fn line(event: &Value) -> Vec<u8> {
    event.to_string().into_bytes()
}

#[test]
fn a_call_that_finds_the_shim_gone_ends_the_run_and_one_that_the_shim_refuses_does_not() {
    let call = |error: Value| {
        let item = json!({
            "id": "item_0", "type": "mcp_tool_call", "server": "callbox", "tool": "ask_user", "arguments": {},
            "result": null, "error": error, "status": "failed",
        });
        line(&json!({"type": "item.completed", "item": item}))
    };
    for (error, expected) in [
        (
            json!({"message": "tool call failed for `callbox/ask_user`\n\nCaused by:\n    Transport closed"}),
            true,
        ),
        (json!({"message": "Mcp error: -32602: unknown"}), false),
        (json!(null), false),
    ] {
        let mut reader = CODEX.reader();
        reader.line(&call(error));
        assert_eq!(reader.hopeless().is_some(), expected);
    }
}

#[test]
fn a_sandbox_of_codexs_that_does_not_start_ends_the_run_with_what_to_do() {
    let mut reader = CODEX.reader();
    let item = json!({
        "id": "item_0", "type": "command_execution", "command": "/bin/bash -lc ls", "exit_code": 1, "status": "failed",
        "aggregated_output": "bwrap: Failed to make / slave: Operation not permitted\n",
    });
    reader.line(&line(&json!({"type": "item.completed", "item": item})));
    let Some(AgentEnd::Failed { fault }) = reader.hopeless() else { panic!() };
    assert!(fault.code == "isolation" && fault.hint.unwrap().contains("isolation: landlock"));
    assert_eq!(word(&reader.conclude(Exit::Signal(15), "").end), "failed isolation");
}

#[test]
fn servers_that_do_not_start_are_told_apart_from_the_shim() {
    let said = |name: &str| {
        let tail = format!(
            "Error: x: required MCP servers failed to initialize: {name}: No such file (code -32603)"
        );
        word(&CODEX.reader().conclude(Exit::Code(1), &tail).end)
    };
    assert_eq!([said("callbox"), said("tracker")], ["failed wiring", "failed agent_error"]);
}

#[test]
fn what_codex_logs_of_held_back_commands_is_counted_once_with_what_it_tells_of_them() {
    let beforehand = Beforehand { permissions: Permissions::Read, ..Beforehand::default() };
    let mut reader = Catalogue::built_in().find("codex").unwrap().reader(&beforehand);
    let item = json!({
        "id": "item_0", "type": "command_execution", "command": "/bin/bash -lc 'touch x'", "exit_code": 1,
        "aggregated_output": "touch: x: Read-only file system\n", "status": "failed",
    });
    let read = reader.line(&line(&json!({"type": "item.completed", "item": item})));
    assert!(format!("{read:?}").contains("Denied"), "{read:?}");
    for line in ["WARN x: recorded sandbox violation: a", "WARN x: recorded sandbox violation: b"] {
        assert_eq!(reader.complaint(line.as_bytes()), []);
    }
    let patch = reader.complaint(b"ERROR x: error=patch rejected: writing is blocked by read-only sandbox");
    assert!(format!("{patch:?}").contains("Denied"), "{patch:?}");
    let denials = reader.conclude(Exit::Code(0), "").denials;
    let counted: Vec<_> = denials.iter().map(|denial| (denial.input.as_str(), denial.count)).collect();
    assert_eq!(counted, [("touch x", 1), ("", 1), ("", 1)]);
}

#[test]
fn a_flood_of_events_keeps_the_state_small_and_the_end_right() {
    let mut lines = CODEX.lines("fresh");
    let last = lines.pop().unwrap();
    lines.extend((0..50_000).map(|number| {
        let message = format!("trouble {number}");
        line(&json!({"type": "item.completed", "item": {"id": "x", "type": "error", "message": message}}))
    }));
    lines.push(last);
    let mut reader = CODEX.reader();
    let read: Vec<_> = lines.iter().flat_map(|line| reader.line(line)).collect();
    let told = read.iter().filter(|read| matches!(read, agents::Read::Fact(Fact::Notice { .. }))).count();
    assert!(told <= 20, "{told}");
    assert_eq!(word(&reader.conclude(Exit::Code(0), "").end), "finished");
}

const WORDS: &[&str] = &[
    "thread.started",
    "item.started",
    "item.completed",
    "turn.completed",
    "turn.failed",
    "error",
    "agent_message",
    "command_execution",
    "file_change",
    "mcp_tool_call",
    "failed",
    "declined",
    "callbox",
    "Reconnecting... 1/5 (unexpected status 401 x)",
];
const KEYS: &[&str] = &[
    "type",
    "item",
    "id",
    "text",
    "thread_id",
    "usage",
    "input_tokens",
    "message",
    "error",
    "server",
    "tool",
    "arguments",
    "result",
    "content",
    "command",
    "aggregated_output",
    "exit_code",
    "status",
];

proptest! {
    #[test]
    fn no_line_however_broken_panics_or_makes_a_success(
        // `output_tokens` is not among the keys, so none of these says that all went well.
        lines in noise(WORDS, KEYS),
        complaints in prop::collection::vec(prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            "(patch rejected: |recorded sandbox violation: |read-only|\\PC){0,10}".prop_map(String::into_bytes),
        ], 0..5),
        status in 0..2_i32,
    ) {
        let mut reader = CODEX.reader();
        for line in &lines {
            reader.line(line);
        }
        for line in &complaints {
            reader.complaint(line);
        }
        prop_assert_ne!(reader.conclude(Exit::Code(status), "").end, AgentEnd::Finished);
    }

    #[test]
    fn a_record_that_breaks_off_anywhere_is_no_success(
        (name, _, _) in prop::sample::select(RECORDS.to_vec()),
        at in any::<Index>(),
    ) {
        prop_assert_ne!(CODEX.broken_off(name, at).end, AgentEnd::Finished);
    }

    #[test]
    fn strange_values_in_a_good_end_never_panic_and_make_no_success(
        field in prop::sample::select(vec!["type", "usage"]),
        strange in value(WORDS, KEYS),
    ) {
        let mut lines = CODEX.lines("fresh");
        let mut last: Value = serde_json::from_slice(&lines.pop().unwrap()).unwrap();
        prop_assume!(last[field] != strange);
        last[field] = strange;
        lines.push(last.to_string().into_bytes());
        prop_assert_ne!(CODEX.end(&lines, Exit::Code(0)), "finished");
    }
}
