//! The reader of Claude Code against recorded output of the real program, whole and broken. The
//! records are made by `claude_adapter` where `CALLBOX_RECORD_FIXTURES` names their folder.

use callbox::vocabulary::{AgentEnd, Exit};
use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

use crate::support::recorded::{Recorded, is_event, noise, value, word};

const RECORDED: Recorded = Recorded { agent: "claude", folder: "claude-2.1.332" };

/// Every record, the status the program exited with, and what it comes to.
const RECORDS: [(&str, i32, &str); 18] = [
    ("command-clear", 0, "failed no_turn"),
    ("command-cost", 0, "failed no_turn"),
    ("denied", 0, "finished"),
    ("four-tools", 0, "finished"),
    ("fresh", 0, "finished"),
    ("hostile", 0, "finished"),
    ("interrupted", 0, "failed agent_error"),
    ("no-connection", 1, "failed provider"),
    ("no-login", 1, "auth"),
    ("no-session", 1, "failed session_unknown"),
    ("no-shim", 0, "failed wiring"),
    ("refused-400", 1, "failed provider"),
    ("refused-401", 0, "auth"),
    ("refused-403", 1, "auth"),
    ("refused-429", 1, "rate limited"),
    ("refused-limit", 1, "rate limited until 2096-10-02T07:06:40.000Z"),
    ("resumed", 0, "finished"),
    ("retried", 0, "finished"),
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
        let end = RECORDED.conclusion(&lines, Exit::Code(status)).end;
        assert_ne!(end, AgentEnd::Finished, "{name}");
    }
}

#[test]
fn a_good_result_without_a_word_of_the_model_is_a_failure() {
    let spoken = |line: &Vec<u8>| line.starts_with(b"{\"type\":\"assistant\"");
    let lines: Vec<_> = RECORDED.lines("fresh").into_iter().filter(|line| !spoken(line)).collect();
    assert_eq!(RECORDED.end(&lines, Exit::Code(0)), "failed no_turn");
}

#[test]
fn a_run_without_a_word_fails_with_its_status_and_its_last_words() {
    RECORDED.needs_a_word();
}

#[test]
fn a_result_outlives_the_signal_that_ended_its_program_and_no_other_status() {
    RECORDED.outlives_signals([1, 70]);
}

#[test]
fn a_further_turn_behind_a_result_takes_the_end_back() {
    RECORDED.is_taken_back(b"{\"type\":\"assistant\"");
}

#[test]
fn a_flood_of_events_keeps_the_state_small_and_the_end_right() {
    let mut lines = RECORDED.lines("fresh");
    let result = lines.pop().unwrap();
    let event = |number: usize| {
        let denied = json!({"type": "system", "subtype": "permission_denied", "tool_name": format!("T{number}"), "tool_use_id": number.to_string()});
        denied.to_string().into_bytes()
    };
    lines.extend((0..50_000).map(event));
    lines.push(result);
    let conclusion = RECORDED.conclusion(&lines, Exit::Code(0));
    assert_eq!(word(&conclusion.end), "finished");
    assert!(conclusion.denials.len() <= 1000, "{}", conclusion.denials.len());
}

const WORDS: &[&str] = &[
    "assistant",
    "result",
    "system",
    "init",
    "success",
    "user",
    "text",
    "tool_use",
    "tool_result",
    "api_retry",
    "permission_denied",
    "rate_limit_event",
    "tool_progress",
    "rejected",
];
const KEYS: &[&str] = &[
    "type",
    "subtype",
    "message",
    "content",
    "usage",
    "model",
    "session_id",
    "mcp_servers",
    "name",
    "status",
    "permission_denials",
    "tool_use_id",
    "tool_name",
    "tool_input",
    "model_usage_since_last_result",
    "costUSD",
    "inputTokens",
    "input_tokens",
    "output_tokens",
    "id",
    "attempt",
    "error_status",
    "rate_limit_info",
    "resetsAt",
    "result",
    "errors",
    "elapsed_time_seconds",
];

proptest! {
    #[test]
    fn no_line_however_broken_panics_or_makes_a_success(
        // `is_error` is not among the keys, so none of these says that all went well.
        lines in noise(WORDS, KEYS),
        status in 0..2_i32,
    ) {
        prop_assert_ne!(RECORDED.conclusion(&lines, Exit::Code(status)).end, AgentEnd::Finished);
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
        field in prop::sample::select(vec!["type", "subtype", "is_error", "usage", "permission_denials", "model_usage_since_last_result"]),
        strange in value(WORDS, KEYS),
    ) {
        let mut lines = RECORDED.lines("fresh");
        let mut result: Value = serde_json::from_slice(&lines.pop().unwrap()).unwrap();
        let good = std::mem::replace(&mut result[field], strange.clone());
        lines.push(result.to_string().into_bytes());
        let end = RECORDED.conclusion(&lines, Exit::Code(0)).end;
        if good != strange && ["type", "subtype", "is_error"].contains(&field) {
            prop_assert_ne!(end, AgentEnd::Finished);
        }
    }
}
