use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::scripted::step::{Refused, Then};

fn call_of(tool: &str, arguments: Json) -> Call {
    let Json::Object(arguments) = arguments else { panic!("arguments are a map") };
    Call { tool: tool.to_owned(), arguments, refused: Refused::Fails, then: Then::GoOn }
}

#[test]
fn every_word_means_what_the_manual_says() {
    let script = "
- progress: on my way
- ask: Which?
- summary: {summary: done, outcome: partial}
- subtask: {name: n, instructions: '- print: x'}
- call: {tool: record_progress, arguments: {message: x, percent: 5}}
- write: {path: a/b, text: hello}
- commit: a message
- print: words
- sleep: 500ms
- cost: 0.25
- rate_limit: {reset: 5s}
- deny: Bash
- auth
- exit: 3
- crash
- hang
- orphan: {sleep: 60s}
- flood: {bytes: 10}
- prose_question: Shall I?
";
    let steps = read(script).unwrap();
    assert_eq!(steps.len(), STEPS.len());
    assert_eq!(
        steps,
        [
            Step::Call(call_of("record_progress", json!({"message": "on my way"}))),
            Step::Call(Call { then: Then::EndTurn, ..call_of("ask_user", json!({"question": "Which?"})) }),
            Step::Call(call_of("report_summary", json!({"summary": "done", "outcome": "partial"}))),
            Step::Call(call_of("spawn_subtask", json!({"name": "n", "instructions": "- print: x"}))),
            Step::Call(call_of("record_progress", json!({"message": "x", "percent": 5}))),
            Step::Write { path: "a/b".into(), text: "hello".into() },
            Step::Commit("a message".into()),
            Step::Print("words".into()),
            Step::Sleep(Duration::from_millis(500)),
            Step::Cost(0.25),
            Step::RateLimit(Some(Duration::from_secs(5))),
            Step::Deny("Bash".into()),
            Step::Auth,
            Step::Exit(3),
            Step::Crash,
            Step::Hang,
            Step::Orphan(Duration::from_secs(60)),
            Step::Flood(10),
            Step::ProseQuestion("Shall I?".into()),
        ]
    );
}

#[test]
fn what_follows_an_answer_stands_beside_the_word_or_within_its_map() {
    let within = "[{ask: {question: Q, options: [a, b], keep_working: yes, may_fail: yes}}]";
    let beside = "- ask: {question: Q, options: [a, b]}\n  keep_working: yes\n  may_fail: yes\n";
    let call = call_of("ask_user", json!({"question": "Q", "options": ["a", "b"]}));
    let expected = [Step::Call(Call { refused: Refused::GoesOn, ..call })];
    assert_eq!(read(within).unwrap(), expected);
    assert_eq!(read(beside).unwrap(), expected);
    let no = read("[{ask: {question: Q, keep_working: no, may_fail: no}}]").unwrap();
    assert!(
        matches!(&no[..], [Step::Call(call)] if (call.refused, call.then) == (Refused::Fails, Then::EndTurn))
    );
}

#[test]
fn every_fault_is_named_by_its_line_and_nothing_is_passed_over() {
    for (script, expected) in [
        (
            "- progres: x\n- sleep: soon\n- exit: 256",
            "line 1: `progres` is not known: did you mean `progress`?; line 2: `sleep`",
        ),
        ("- print: a\n  commit: b", "line 2: `commit` is a second step beside `print`"),
        ("- write: {path: a, txt: b}", "line 1: `write.text` is missing; line 1: `write.txt` is not known"),
        ("- print: a\n  may_fail: yes", "line 2: `print.may_fail` is not known"),
        ("- progress: a\n  keep_working: yes", "line 2: `progress.keep_working` is not known"),
        ("- ask: {question: a, keep_working: perhaps}", "line 1: `keep_working` must be yes or no"),
        ("- call: {arguments: {}}", "line 1: `call.tool` is missing"),
        ("- call: {tool: t, arguments: []}", "line 1: `call.arguments` must be a map"),
        ("- rate_limit: {rest: 5s}", "line 1: `rate_limit.rest` is not known"),
        ("- orphan: 5s", "line 1: `orphan` must be a map"),
        ("- flood: {bytes: 0}", "line 1: `flood.bytes` must be a whole number from 1"),
        ("- hang: 5s", "line 1: `hang` takes no value"),
        ("- [a]", "line 1: a step is a word"),
        ("- {}", "line 1: a step is missing here"),
        ("- may_fail: yes", "line 1: `may_fail` is not known"),
        ("do something useful", "line 1: a list of steps is expected here, not text"),
        ("", "line 1: a list of steps is expected here, not nothing"),
    ] {
        let faults = read(script).unwrap_err().faults;
        assert!(faults.starts_with(expected), "{script:?}: {faults}");
    }
}

#[test]
fn whoever_wrote_no_steps_is_shown_one_and_told_them_all() {
    let error = check("do something useful").unwrap_err();
    let told = "the instructions are no list of steps: line 1: a list of steps is expected here, not text";
    assert_eq!(error.to_string(), told);
    let hint = WrongScript::hint();
    assert!(hint.contains("- print: hello"), "{hint}");
    assert!(STEPS.iter().all(|step| hint.contains(step)), "{hint}");
    assert_eq!(check("- print: hello"), Ok(()));
}

fn step_with_its_script() -> impl Strategy<Value = (Json, Step)> {
    let words = || "[ -~äß€]{0,30}";
    prop_oneof![
        words().prop_map(|text| (json!({"print": text}), Step::Print(text))),
        words().prop_map(|text| (json!({"commit": text}), Step::Commit(text))),
        (words(), words()).prop_map(|(path, text)| (
            json!({"write": {"path": path, "text": text}}),
            Step::Write { path, text }
        )),
        any::<u8>().prop_map(|status| (json!({"exit": status}), Step::Exit(status))),
        (0_u64..1_000_000).prop_map(|millis| (
            json!({"sleep": format!("{millis}ms")}),
            Step::Sleep(Duration::from_millis(millis))
        )),
        (words(), words(), any::<bool>()).prop_map(|(tool, value, may_fail)| {
            let refused = if may_fail { Refused::GoesOn } else { Refused::Fails };
            let written = json!({"call": {"tool": tool, "arguments": {"a": [value]}}, "may_fail": may_fail});
            (written, Step::Call(Call { refused, ..call_of(&tool, json!({"a": [value]})) }))
        }),
        Just((json!("crash"), Step::Crash)),
        Just((json!({"rate_limit": null}), Step::RateLimit(None))),
    ]
}

proptest! {
    #[test]
    fn steps_are_read_as_they_were_written(items in prop::collection::vec(step_with_its_script(), 0..8)) {
        let (written, steps): (Vec<_>, Vec<_>) = items.into_iter().unzip();
        prop_assert_eq!(read(&Json::Array(written).to_string()), Ok(steps));
    }

    #[test]
    fn no_script_however_broken_makes_the_parser_panic(
        lines in prop::collection::vec(prop_oneof![
            any::<String>(),
            "- (ask|call|write|sleep|exit|flood|hang|auth): ?[ -~]{0,20}",
            "  (may_fail|keep_working|print): ?[ -~]{0,5}",
        ], 0..6),
    ) {
        let _ = read(&lines.join("\n"));
    }
}
