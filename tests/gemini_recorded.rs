//! The reader of Gemini CLI against recorded output of the real program, whole and broken. The
//! records are made by `gemini_adapter` and `gemini_refused` where `CALLBOX_RECORD_FIXTURES` names their folder.

use callbox::vocabulary::{AgentEnd, Exit};
use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

use crate::support::recorded::{Recorded, is_event, noise, value, word};

const RECORDED: Recorded = Recorded { agent: "gemini", folder: "gemini-0.61.0" };

/// Every record, the status the program exited with, and what it comes to.
const RECORDS: [(&str, i32, &str); 15] = [
    ("denied", 0, "finished"),
    ("four-tools", 0, "finished"),
    ("fresh", 0, "finished"),
    ("hostile", 0, "finished"),
    ("interrupted", 0, "failed agent_error"),
    ("refused-400", 144, "failed provider"),
    ("refused-401", 145, "auth"),
    ("refused-403", 147, "auth"),
    ("refused-429", 173, "rate limited"),
    ("refused-500", 244, "failed provider"),
    ("refused-day", 173, "rate limited"),
    ("refused-key", 144, "auth"),
    ("resumed", 0, "finished"),
    ("retried", 0, "finished"),
    ("turn-limit", 53, "failed agent_error"),
];

#[test]
fn every_record_comes_to_what_really_happened() {
    for (name, status, expected) in RECORDS {
        assert_eq!(RECORDED.end(&RECORDED.lines(name), Exit::Code(status)), expected, "{name}");
    }
    assert_eq!(RECORDED.count(), RECORDS.len(), "a record is not listed here");
}

#[test]
fn without_its_result_no_run_went_well() {
    for (name, status, _) in RECORDS {
        let lines: Vec<_> =
            RECORDED.lines(name).into_iter().filter(|line| !is_event(line, "result")).collect();
        assert_ne!(RECORDED.conclusion(&lines, Exit::Code(status)).end, AgentEnd::Finished, "{name}");
    }
}

#[test]
fn a_good_result_without_a_word_of_the_model_is_a_failure() {
    let lines: Vec<_> = RECORDED.lines("resumed");
    let spoken = |line: &Vec<u8>| String::from_utf8_lossy(line).contains("\"role\":\"assistant\"");
    assert_eq!(lines.iter().filter(|line| spoken(line)).count(), 1);
    let lines: Vec<_> = lines.into_iter().filter(|line| !spoken(line)).collect();
    assert_eq!(RECORDED.end(&lines, Exit::Code(0)), "failed no_turn");
}

#[test]
fn a_result_outlives_the_signal_that_ended_its_program_and_no_other_status() {
    RECORDED.outlives_signals([1, 144]);
}

#[test]
fn a_flood_of_events_keeps_the_state_small_and_the_end_right() {
    let mut lines = RECORDED.lines("fresh");
    let result = lines.pop().unwrap();
    for number in 0..20_000 {
        let id = number.to_string();
        let call =
            json!({"type": "tool_use", "tool_id": id, "tool_name": format!("T{number}"), "parameters": {}});
        let error = json!({"type": "policy_violation", "message": "no"});
        let denied = json!({"type": "tool_result", "tool_id": id, "status": "error", "error": error});
        lines.extend([call, denied].map(|event| event.to_string().into_bytes()));
    }
    lines.push(result);
    let conclusion = RECORDED.conclusion(&lines, Exit::Code(0));
    assert_eq!(word(&conclusion.end), "finished");
    assert!(conclusion.denials.len() <= 1000, "{}", conclusion.denials.len());
}

/// None of them is `success`.
const WORDS: &[&str] = &[
    "assistant",
    "error",
    "init",
    "message",
    "result",
    "tool_result",
    "tool_use",
    "user",
    "warning",
    "policy_violation",
    "[API Error: {\"error\":{\"code\":429}}]",
    "MCP tool 'x' reported tool error for function call: {} with response: [{\"functionResponse\":{}}]",
];
const KEYS: &[&str] = &[
    "content",
    "error",
    "input_tokens",
    "message",
    "model",
    "output",
    "parameters",
    "role",
    "session_id",
    "severity",
    "stats",
    "status",
    "timestamp",
    "tool_id",
    "tool_name",
    "type",
];

proptest! {
    #[test]
    fn no_line_however_broken_panics_or_makes_a_success(
        lines in noise(WORDS, KEYS),
        complaints in prop::collection::vec(prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            "Attempt [0-9]{0,12} failed( with status [0-9]{0,4})?.{0,40}".prop_map(String::into_bytes),
        ], 0..5),
        status in 0..256_i32,
    ) {
        let mut reader = RECORDED.reader();
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
        prop_assert_ne!(RECORDED.broken_off(name, at).end, AgentEnd::Finished);
    }

    #[test]
    fn strange_values_in_a_good_result_never_panic_and_a_strange_verdict_is_no_success(
        field in prop::sample::select(vec!["type", "status", "error", "stats", "timestamp"]),
        strange in value(WORDS, KEYS),
    ) {
        let mut lines = RECORDED.lines("fresh");
        let mut result: Value = serde_json::from_slice(&lines.pop().unwrap()).unwrap();
        let good = result.get(field).cloned().unwrap_or(Value::Null);
        result[field] = strange.clone();
        lines.push(result.to_string().into_bytes());
        let end = RECORDED.conclusion(&lines, Exit::Code(0)).end;
        if good != strange && ["type", "status", "error"].contains(&field) {
            prop_assert_ne!(end, AgentEnd::Finished);
        }
    }
}
