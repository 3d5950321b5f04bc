//! The reader of programs that speak the Agent Client Protocol against recorded lines of callbox's own client, whole and
//! broken. The records are made by `acp_adapter` and `acp_refused` where `CALLBOX_RECORD_FIXTURES` names their folder.

use callbox::vocabulary::{AgentEnd, Exit};
use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

use crate::support::recorded::{Recorded, noise, value, word};

const AGENTS: [&str; 3] = ["claude-acp", "codex-acp", "gemini-acp"];

/// Every record of each, the status the client exited with, and what it comes to.
const RECORDS: [(&str, i32, &str); 10] = [
    ("fresh", 0, "finished"),
    ("resumed", 0, "finished"),
    ("four-tools", 0, "finished"),
    ("retried", 0, "finished"),
    ("session-gone", 1, "failed session_unknown"),
    ("interrupted", 1, "failed agent_error"),
    ("refused-400", 1, "failed provider"),
    ("refused-401", 1, "auth"),
    ("refused-429", 1, "rate limited"),
    ("refused-500", 1, "failed provider"),
];

fn recorded(agent: &'static str) -> Recorded {
    Recorded { agent, folder: "acp" }
}

fn lines(agent: &'static str, name: &str) -> Vec<Vec<u8>> {
    recorded(agent).lines(&format!("{agent}-{name}"))
}

fn is_end(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line).is_ok_and(|line| line["event"] == "end")
}

#[test]
fn every_record_comes_to_what_really_happened() {
    for agent in AGENTS {
        for (name, status, expected) in RECORDS {
            let end = recorded(agent).end(&lines(agent, name), Exit::Code(status));
            assert!(end.starts_with(expected), "{agent} {name}: {end}");
        }
    }
    assert_eq!(recorded("claude-acp").count(), AGENTS.len() * RECORDS.len(), "a record is not listed here");
}

#[test]
fn without_its_end_no_run_went_well() {
    for agent in AGENTS {
        for (name, _, _) in RECORDS {
            let lines: Vec<_> = lines(agent, name).into_iter().filter(|line| !is_end(line)).collect();
            assert_ne!(recorded(agent).conclusion(&lines, Exit::Code(0)).end, AgentEnd::Finished, "{name}");
        }
    }
}

#[test]
fn a_run_without_a_word_is_told_by_its_exit() {
    for agent in AGENTS {
        recorded(agent).needs_a_word();
    }
}

#[test]
fn a_good_end_without_a_word_of_the_model_or_without_use_of_it_is_a_failure() {
    let end = |tokens: Value, said: &[&str]| {
        let said = said.iter().map(|words| json!({"event": "text", "text": words}));
        let end = json!({"event": "end", "end": {"how": "turn", "stop": "end_turn", "tokens": tokens}});
        let lines: Vec<_> = said.chain([end]).map(|line| line.to_string().into_bytes()).collect();
        recorded("claude-acp").end(&lines, Exit::Code(0))
    };
    assert_eq!(end(Value::Null, &["hello"]), "finished");
    assert_eq!(end(json!({"read": 1, "written": 1}), &["hello"]), "finished");
    assert_eq!(end(Value::Null, &[]), "failed no_turn");
    assert_eq!(end(json!({"read": 0, "written": 0}), &["the answer of a command"]), "failed no_turn");
}

#[test]
fn no_other_reason_of_an_end_is_a_good_one() {
    let ends = [
        json!({"how": "turn", "stop": "max_tokens", "tokens": null}),
        json!({"how": "turn", "stop": "max_turn_requests", "tokens": null}),
        json!({"how": "turn", "stop": "refusal", "tokens": null}),
        json!({"how": "turn", "stop": "cancelled", "tokens": null}),
        json!({"how": "turn", "stop": "something new", "tokens": null}),
        json!({"how": "gone", "stage": "prompt"}),
        json!({"how": "stopped"}),
        json!({"how": "not_started", "reason": "no such file"}),
        json!({"how": "unfit", "lacks": "goes on with no conversation"}),
        json!({"how": "refused", "stage": "prompt", "code": -32601, "message": "no", "data": null}),
    ];
    let mut messages = std::collections::BTreeSet::new();
    for end in ends {
        let mut lines: Vec<_> =
            lines("codex-acp", "fresh").into_iter().filter(|line| !is_end(line)).collect();
        lines.push(json!({"event": "end", "end": end}).to_string().into_bytes());
        let AgentEnd::Failed { fault } = recorded("codex-acp").conclusion(&lines, Exit::Code(0)).end else {
            panic!("{end} is taken for well");
        };
        assert!(messages.insert(fault.message.clone()), "two reasons have the words {}", fault.message);
    }
}

#[test]
fn a_good_end_outlives_the_signal_that_ended_its_client_and_no_other_status() {
    for agent in AGENTS {
        let lines = lines(agent, "fresh");
        for (exit, expected) in [
            (Exit::Signal(9), "finished"),
            (Exit::Code(143), "finished"),
            (Exit::Code(1), "failed agent_error"),
        ] {
            assert_eq!(recorded(agent).end(&lines, exit), expected, "{agent} {exit:?}");
        }
    }
}

#[test]
fn a_flood_of_lines_keeps_the_state_small_and_the_end_right() {
    let mut lines = lines("gemini-acp", "fresh");
    let end = lines.pop().unwrap();
    for number in 0..20_000 {
        let id = number.to_string();
        let call =
            json!({"event": "call", "id": id, "tool": format!("T{number}"), "title": "t", "input": {}});
        lines.extend([call, json!({"event": "denied", "id": id})].map(|line| line.to_string().into_bytes()));
    }
    lines.push(end);
    let conclusion = recorded("gemini-acp").conclusion(&lines, Exit::Code(0));
    assert_eq!(word(&conclusion.end), "finished");
    assert!(conclusion.denials.len() <= 1000, "{}", conclusion.denials.len());
}

/// None of them is `end_turn`.
const WORDS: &[&str] = &[
    "answer",
    "call",
    "cost",
    "denied",
    "end",
    "extension",
    "left_out",
    "model",
    "program",
    "refused",
    "repeated",
    "resume",
    "prompt",
    "session",
    "text",
    "thought",
    "turn",
    "API Error: 429",
];
const KEYS: &[&str] = &[
    "code", "data", "dollars", "end", "event", "failed", "how", "id", "input", "message", "method", "name",
    "params", "read", "stage", "stop", "text", "title", "tokens", "tool", "version", "written",
];

proptest! {
    #[test]
    fn no_line_however_broken_panics_or_makes_a_success(
        lines in noise(WORDS, KEYS),
        complaints in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..5),
        status in 0..256_i32,
    ) {
        let mut reader = recorded("claude-acp").reader();
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
        agent in prop::sample::select(AGENTS.to_vec()),
        (name, _, _) in prop::sample::select(RECORDS.to_vec()),
        at in any::<Index>(),
    ) {
        let end = recorded(agent).broken_off(&format!("{agent}-{name}"), at).end;
        prop_assert_ne!(end, AgentEnd::Finished);
    }

    #[test]
    fn a_strange_value_in_a_good_end_never_panics_and_is_no_success(
        field in prop::sample::select(vec!["how", "stop"]),
        strange in value(WORDS, KEYS),
    ) {
        let mut lines = lines("claude-acp", "fresh");
        let mut end: Value = serde_json::from_slice(&lines.pop().unwrap()).unwrap();
        if end["end"][field] != strange {
            end["end"][field] = strange;
            lines.push(end.to_string().into_bytes());
            prop_assert_ne!(recorded("claude-acp").conclusion(&lines, Exit::Code(0)).end, AgentEnd::Finished);
        }
    }
}
