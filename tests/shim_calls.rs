//! The shim over a real store, in the name of a real execution that goes on: what an agent is told, and
//! what is on record afterwards.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{
    held_run::{HeldRuns, call_named, named_call},
    processes::{kill, stop},
    raw_request::{PLAIN, request},
    shim::tool_result,
    wait::{SOON, wait_until},
};

/// Fails unless the call was recorded; what the agent is told.
#[track_caller]
fn told((is_error, text): (bool, String)) -> String {
    assert!(!is_error, "{text}");
    text
}

/// Fails unless the call was refused; what the agent is told.
#[track_caller]
fn refused((is_error, text): (bool, String)) -> String {
    assert!(is_error, "it was taken: {text}");
    text
}

#[test]
fn each_tool_says_what_was_recorded_and_what_to_do_next() {
    let (runs, run) = HeldRuns::one();
    let mut shim = runs.shim(&run.token);

    let question = json!({"question": "Which colour?", "options": ["red", "blue"], "context": "the door"});
    let asked = told(shim.call("ask_user", &question));
    assert!(asked.starts_with("Recorded as q1. End your turn now"), "{asked}");
    assert!(asked.contains("goes on with the answer"), "{asked}");
    let again = told(shim.call("ask_user", &question));
    assert!(again.starts_with("Recorded as q1."), "an open question is asked once: {again}");
    let other = told(shim.call("ask_user", &json!({"question": "Which size?"})));
    assert!(other.starts_with("Recorded as q2."), "{other}");

    let subtask = json!({"name": "side", "instructions": "- summary: side"});
    let queued = told(shim.call("spawn_subtask", &subtask));
    assert!(queued.starts_with("Queued as t2. Do not wait for it: end your turn when"), "{queued}");
    let same = told(shim.call("spawn_subtask", &subtask));
    assert!(same.starts_with("Queued as t2."), "the same subtask is spawned once: {same}");

    let summary = told(shim.call("report_summary", &json!({"summary": "half", "outcome": "partial"})));
    assert!(summary.starts_with("Recorded. A later call") && summary.contains("replaces it"), "{summary}");
    let progress = told(shim.call("record_progress", &json!({"message": "on it", "percent": 40})));
    assert!(progress.starts_with("Recorded."), "{progress}");

    let tools: Vec<Value> = runs.signals(&run.task).into_iter().map(|row| row["tool"].clone()).collect();
    let asked_twice_and_once = ["record_progress", "ask_user", "ask_user", "ask_user"];
    let rest = ["spawn_subtask", "spawn_subtask", "report_summary", "record_progress"];
    assert_eq!(tools, [asked_twice_and_once, rest].concat());
    let shown = runs.show(&run.task);
    assert_eq!(shown["questions"].as_array().unwrap().len(), 2, "{shown}");
    assert_eq!(shown["subtasks"].as_array().unwrap().len(), 1, "{shown}");
    assert_eq!(shown["task"]["state"], "running", "nothing is decided while the agent works: {shown}");
    shim.leave();
}

#[test]
fn a_call_from_a_shell_is_recorded_like_any_other() {
    let (runs, run) = HeldRuns::one();
    let call = |arguments: [&str; 2]| {
        let output = runs.shim_command(&run.token).arg("call").args(arguments).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.success(), text)
    };
    let (taken, [text, _]) = call(["ask_user", r#"{"question": "Which?"}"#]);
    assert!(taken && text.starts_with("Recorded as q1. End your turn now"), "{text}");
    let (taken, [_, text]) = call(["ask_user", r#"{"question": ""}"#]);
    assert!(!taken && text.contains("`ask_user` was not recorded") && text.contains("`question`"), "{text}");
    assert_eq!(runs.signals(&run.task).len(), 2);
}

#[test]
fn wrong_arguments_are_named_by_field_and_nothing_is_recorded() {
    let (runs, run) = HeldRuns::one();
    let mut shim = runs.shim(&run.token);
    let socket = runs.desk.state().join("agent/agent.sock");
    let bearer = format!("Bearer {}", run.token);
    for (number, (tool, arguments, field)) in [
        ("ask_user", json!({}), "question"),
        ("ask_user", json!({"question": ""}), "question"),
        ("ask_user", json!({"question": "x".repeat(4_001)}), "question"),
        ("ask_user", json!({"question": "x", "options": vec!["o"; 11]}), "options"),
        ("ask_user", json!({"question": "x", "options": [5]}), "options[0]"),
        ("ask_user", json!({"question": "x", "task": "t1"}), "task"),
        ("report_summary", json!({"summary": "x", "outcome": "great"}), "outcome"),
        ("report_summary", json!({"summary": "x".repeat(20_001)}), "summary"),
        ("report_summary", json!({"summary": "x", "execution": run.execution}), "execution"),
        ("spawn_subtask", json!({"name": "n"}), "instructions"),
        ("spawn_subtask", json!({"name": "n", "instructions": "i", "parent": "t1"}), "parent"),
        ("spawn_subtask", json!({"name": "n", "instructions": "i", "agent": 5}), "agent"),
        ("record_progress", json!({"message": "x", "percent": 101}), "percent"),
        ("record_progress", json!({"message": "x", "percent": "half"}), "percent"),
        ("record_progress", json!({"message": "x", "task": "t1"}), "task"),
    ]
    .into_iter()
    .enumerate()
    {
        let text = refused(shim.call(tool, &arguments));
        let named = format!("`{field}`");
        assert!(text.starts_with(&format!("`{tool}` was not recorded: ")) && text.contains(&named), "{text}");
        assert!(text.ends_with("; correct it and call again."), "{text}");

        // The store trusts no shim.
        let key = format!("raw:{number}");
        let headers = [&PLAIN[..], &[("authorization", &bearer), ("idempotency-key", &key)]].concat();
        let body = json!({"tool": tool, "arguments": arguments}).to_string();
        let (status, error) = request(&socket, "POST /v1/run/signals", &headers, &body);
        assert_eq!((status, &error["code"]), (400, &"invalid".into()), "{error}");
        assert!(error["message"].as_str().unwrap().contains(&named), "{error}");
    }
    assert_eq!(runs.said(&run.task), ["at work"]);
    assert_eq!(runs.signals(&run.task).len(), 1);
    assert_eq!(runs.desk.callbox(["ls", "--json"]).end().expect(0).json().as_array().unwrap().len(), 1);
    shim.leave();
}

#[test]
fn a_subtask_that_may_not_be_is_refused_with_its_reason() {
    let runs = HeldRuns::under("[limits]\nchildren = 1\n");
    let run = runs.begin();
    let mut shim = runs.shim(&run.token);
    let subtask = |name: &str, more: Value| {
        let mut arguments = json!({"name": name, "instructions": "- summary: x"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let agent = refused(shim.call("spawn_subtask", &subtask("a", json!({"agent": "codex"}))));
    assert!(agent.contains("`codex`"), "{agent}");
    let after = refused(shim.call("spawn_subtask", &subtask("a", json!({"after": ["nobody"]}))));
    assert!(after.contains("`nobody`"), "{after}");
    told(shim.call("spawn_subtask", &subtask("a", json!({}))));
    let taken = json!({"name": "a", "instructions": "- summary: other"});
    let taken = refused(shim.call("spawn_subtask", &taken));
    assert!(taken.contains("`a`") && taken.contains("other instructions"), "{taken}");
    let capped = refused(shim.call("spawn_subtask", &subtask("b", json!({}))));
    assert!(
        capped.contains("the limit on subtasks of one task (1) is reached; do the work yourself"),
        "{capped}"
    );
    shim.leave();
}

#[test]
fn a_run_that_has_said_all_it_may_is_told_the_limit_and_keeps_what_it_said() {
    let runs = HeldRuns::under("[limits]\nsignals = 2\n");
    let run = runs.begin();
    let mut shim = runs.shim(&run.token);
    let second = json!({"message": "second"});
    let first_result = told(call_named(&mut shim, "toolu_2", "record_progress", &second));
    let text = refused(shim.call("record_progress", &json!({"message": "third"})));
    assert!(text.contains("the limit on calls in one run (2) is reached; finish"), "{text}");
    let repeated = told(call_named(&mut shim, "toolu_2", "record_progress", &second));
    assert_eq!(repeated, first_result);
    assert_eq!(runs.said(&run.task), ["at work", "second"]);
    shim.leave();
}

#[test]
fn a_call_outlives_the_store_it_was_made_to_and_is_recorded_once() {
    let (mut runs, run) = HeldRuns::one();
    let mut shim = runs.shim(&run.token);
    told(shim.call("record_progress", &json!({"message": "before"})));

    // Stopped, the store takes the call and cannot answer it.
    stop(runs.store());
    let in_flight =
        shim.begin("tools/call", &named_call("toolu_1", "record_progress", &json!({"message": "in flight"})));
    shim.expect_nothing_but_a_ping();
    runs.kill_store();
    let without =
        shim.begin("tools/call", &named_call("toolu_2", "ask_user", &json!({"question": "Which?"})));
    shim.expect_nothing_but_a_ping();
    runs.start_store();

    let mut answers = [shim.next(), shim.next()];
    answers.sort_by_key(|answer| answer["id"].as_i64());
    assert_eq!([&answers[0]["id"], &answers[1]["id"]], [&json!(in_flight), &json!(without)]);
    told(tool_result(&answers[0]));
    assert!(told(tool_result(&answers[1])).starts_with("Recorded as q1."));
    assert_eq!(runs.said(&run.task), ["at work", "before", "in flight"]);
    assert_eq!(runs.signals(&run.task).len(), 4);
    shim.leave();
}

#[test]
fn the_same_call_has_one_row_and_its_first_result_whoever_repeats_it() {
    let (mut runs, run) = HeldRuns::one();
    let ask = json!({"question": "Which?"});
    let mut shim = runs.shim(&run.token);
    let first = told(call_named(&mut shim, "toolu_1", "ask_user", &ask));
    assert_eq!(told(call_named(&mut shim, "toolu_1", "ask_user", &ask)), first);
    let mut second = runs.shim(&run.token);
    assert_eq!(told(call_named(&mut second, "toolu_1", "ask_user", &ask)), first);
    runs.kill_store();
    runs.start_store();
    assert_eq!(told(call_named(&mut second, "toolu_1", "ask_user", &ask)), first);
    assert_eq!(runs.signals(&run.task).len(), 2);

    let other = refused(call_named(&mut second, "toolu_1", "ask_user", &json!({"question": "Other?"})));
    assert!(other.contains("key was used before for another call"), "{other}");
    assert_eq!(runs.signals(&run.task).len(), 2);
}

#[test]
fn two_that_make_the_same_call_at_once_are_told_the_same() {
    let (runs, run) = HeldRuns::one();
    let ask = named_call("toolu_1", "ask_user", &json!({"question": "Which?"}));
    let mut shims = [runs.shim(&run.token), runs.shim(&run.token)];
    // Both calls lie before the store when it goes on.
    stop(runs.store());
    for shim in &mut shims {
        shim.begin("tools/call", &ask);
        shim.expect_nothing_but_a_ping();
    }
    kill(runs.store(), Signal::CONT);
    let [one, other] = shims.each_ref().map(|shim| told(tool_result(&shim.next())));
    assert!(one.starts_with("Recorded as q1.") && one == other, "{one} {other}");
    assert_eq!(runs.signals(&run.task).len(), 2);
}

#[test]
fn a_shim_that_is_killed_in_the_middle_of_a_call_leaves_it_once() {
    let (runs, run) = HeldRuns::one();
    let call = json!({"message": "in flight"});
    let mut shim = runs.shim(&run.token);
    stop(runs.store());
    shim.begin("tools/call", &named_call("toolu_1", "record_progress", &call));
    shim.expect_nothing_but_a_ping();
    drop(shim);
    kill(runs.store(), Signal::CONT);
    let mut second = runs.shim(&run.token);
    told(call_named(&mut second, "toolu_1", "record_progress", &call));
    assert_eq!(runs.said(&run.task), ["at work", "in flight"]);

    // And where the store had recorded it, but nobody read so.
    let call = json!({"message": "recorded"});
    second.begin("tools/call", &named_call("toolu_2", "record_progress", &call));
    wait_until("the call is on record", SOON, || runs.said(&run.task).len() == 3);
    drop(second);
    let mut third = runs.shim(&run.token);
    told(call_named(&mut third, "toolu_2", "record_progress", &call));
    assert_eq!(runs.said(&run.task), ["at work", "in flight", "recorded"]);
    third.leave();
}

#[test]
fn a_run_that_has_ended_is_told_so_and_what_it_said_stands() {
    let (runs, run) = HeldRuns::one();
    let ask = json!({"question": "Which?"});
    let mut shim = runs.shim(&run.token);
    let first = told(call_named(&mut shim, "toolu_1", "ask_user", &ask));
    runs.cancel(&run);
    let text = refused(call_named(&mut shim, "toolu_2", "record_progress", &json!({"message": "late"})));
    assert!(text.contains("this run has ended") && text.contains("end your turn"), "{text}");
    let repeated = told(call_named(&mut shim, "toolu_1", "ask_user", &ask));
    assert_eq!(repeated, first, "what was recorded must not be called unrecorded");
    assert_eq!(runs.signals(&run.task).len(), 2);
    shim.leave();
}
