//! The reader of Gemini CLI against recorded output of the real program, whole and broken. The
//! records are made by `gemini_adapter` and `gemini_refused` where `CALLBOX_RECORD_FIXTURES` names their folder.

use std::{fs, path::Path};

use callbox::{
    agents::{self, Beforehand, Conclusion},
    vocabulary::{AgentEnd, Exit},
};
use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

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

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gemini-0.61.0")
}

fn record(name: &str) -> Vec<Vec<u8>> {
    let record = fs::read(folder().join(format!("{name}.jsonl"))).unwrap();
    record.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
}

fn conclusion(lines: &[Vec<u8>], exit: Exit) -> Conclusion {
    let mut reader = agents::find("gemini").unwrap().reader(&Beforehand::default());
    for line in lines {
        reader.line(line);
    }
    reader.conclude(exit, "the last words on stderr")
}

fn word(end: &AgentEnd) -> String {
    match end {
        AgentEnd::Finished => "finished".to_owned(),
        AgentEnd::Failed { fault } => format!("failed {}", fault.code),
        AgentEnd::Auth { .. } => "auth".to_owned(),
        AgentEnd::RateLimited { until: None, .. } => "rate limited".to_owned(),
        other => panic!("a reader cannot know of {other:?}"),
    }
}

fn is_result(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line).is_ok_and(|event| event["type"] == "result")
}

#[test]
fn every_record_comes_to_what_really_happened() {
    for (name, status, expected) in RECORDS {
        assert_eq!(word(&conclusion(&record(name), Exit::Code(status)).end), expected, "{name}");
    }
    assert_eq!(fs::read_dir(folder()).unwrap().count(), RECORDS.len(), "a record is not listed here");
}

#[test]
fn without_its_result_no_run_went_well() {
    for (name, status, _) in RECORDS {
        let lines: Vec<_> = record(name).into_iter().filter(|line| !is_result(line)).collect();
        assert_ne!(conclusion(&lines, Exit::Code(status)).end, AgentEnd::Finished, "{name}");
    }
}

#[test]
fn a_good_result_without_a_word_of_the_model_is_a_failure() {
    let lines: Vec<_> = record("resumed");
    let spoken = |line: &Vec<u8>| String::from_utf8_lossy(line).contains("\"role\":\"assistant\"");
    assert_eq!(lines.iter().filter(|line| spoken(line)).count(), 1);
    let lines: Vec<_> = lines.into_iter().filter(|line| !spoken(line)).collect();
    assert_eq!(word(&conclusion(&lines, Exit::Code(0)).end), "failed no_turn");
}

#[test]
fn a_result_outlives_the_signal_that_ended_its_program_and_no_other_status() {
    let lines = record("fresh");
    for (exit, expected) in [
        (Exit::Signal(9), "finished"),
        (Exit::Code(143), "finished"),
        (Exit::Code(1), "failed agent_error"),
        (Exit::Code(144), "failed agent_error"),
    ] {
        assert_eq!(word(&conclusion(&lines, exit).end), expected, "{exit:?}");
    }
}

#[test]
fn a_flood_of_events_keeps_the_state_small_and_the_end_right() {
    let mut lines = record("fresh");
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
    let conclusion = conclusion(&lines, Exit::Code(0));
    assert_eq!(word(&conclusion.end), "finished");
    assert!(conclusion.denials.len() <= 1000, "{}", conclusion.denials.len());
}

/// A value such as events are made of, or not. None of them says `success`.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z_]{0,12}|\\PC{0,20}".prop_map(Value::from),
        prop::sample::select(WORDS.to_vec()).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(prop::sample::select(KEYS.to_vec()), inner, 0..8).prop_map(
                |fields| {
                    Value::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
                }
            ),
        ]
    })
}

const WORDS: [&str; 12] = [
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
const KEYS: [&str; 16] = [
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
        lines in prop::collection::vec(prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            value().prop_map(|value| value.to_string().into_bytes()),
        ], 0..20),
        complaints in prop::collection::vec(prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            "Attempt [0-9]{0,12} failed( with status [0-9]{0,4})?.{0,40}".prop_map(String::into_bytes),
        ], 0..5),
        status in 0..256_i32,
    ) {
        let mut reader = agents::find("gemini").unwrap().reader(&Beforehand::default());
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
        let whole = record(name).join(&b'\n');
        let end = at.index(whole.len());
        let lines: Vec<_> = whole[..end].split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        prop_assert_ne!(conclusion(&lines, Exit::Code(0)).end, AgentEnd::Finished);
    }

    #[test]
    fn strange_values_in_a_good_result_never_panic_and_a_strange_verdict_is_no_success(
        field in prop::sample::select(vec!["type", "status", "error", "stats", "timestamp"]),
        strange in value(),
    ) {
        let mut lines = record("fresh");
        let mut result: Value = serde_json::from_slice(&lines.pop().unwrap()).unwrap();
        let good = result.get(field).cloned().unwrap_or(Value::Null);
        result[field] = strange.clone();
        lines.push(result.to_string().into_bytes());
        let end = conclusion(&lines, Exit::Code(0)).end;
        if good != strange && ["type", "status", "error"].contains(&field) {
            prop_assert_ne!(end, AgentEnd::Finished);
        }
    }
}
