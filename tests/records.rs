//! What a job leaves for machines and people who were not there.

use std::fs;

use quick_junit::Report;
use serde_json::Value;

use crate::support::{
    cli::{Call, Desk},
    repository::Repository,
};

/// All the files that a run can leave.
const FILES: [&str; 8] =
    ["--events", "events.jsonl", "--junit", "junit.xml", "--summary", "summary.md", "--report", "body.md"];

fn call(desk: &Desk, steps: &str, more: &[&str]) -> Call {
    let task = ["run", "--agent", "scripted", "--name", "job", "--json", "-p", steps];
    desk.callbox(task.into_iter().chain(more.iter().copied()))
}

fn read(desk: &Desk, name: &str) -> String {
    fs::read_to_string(desk.path("home").join(name)).unwrap()
}

fn junit(desk: &Desk) -> Report {
    Report::deserialize_from_str(&read(desk, "junit.xml")).unwrap()
}

#[test]
fn a_run_leaves_its_events_its_junit_its_summary_and_the_body_of_a_pull_request() {
    let (desk, project) = (Desk::new(), Repository::new());
    let root = project.root().display().to_string();
    let steps = "- progress: {message: half way}\n- write: {path: made.txt, text: made}\n- summary: 'It is @ada made.'";
    let more = [&FILES[..], &["-C", &root, "--verify", "cat made.txt"]].concat();
    call(&desk, steps, &more).end().expect(0);

    let events: Vec<Value> =
        read(&desk, "events.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<_> = events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert!(["state", "progress", "summary"].iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
    assert!(events.is_sorted_by_key(|event| event["seq"].as_i64()), "{events:?}");
    assert!(events.last().unwrap()["text"].as_str().unwrap().starts_with("completed"), "{events:?}");

    let document = junit(&desk);
    assert_eq!((document.tests, document.failures, document.errors), (2, 0, 0), "{document:?}");
    for (file, words) in [
        (
            "summary.md",
            &["### ✅ t1 `job`: completed", "```text\nIt is @ada made.\n```", "passed", "callbox take t1"][..],
        ),
        (
            "body.md",
            &[
                "```text\nIt is @ada made.\n```",
                "callbox/t1-job",
                "`cat made.txt` passed",
                "What was asked for",
            ],
        ),
    ] {
        let text = read(&desk, file);
        assert!(words.iter().all(|word| text.contains(word)), "{file}:\n{text}");
    }
    let stray = fs::read_dir(desk.path("home"))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with(".callbox-"));
    assert_eq!(stray.count(), 0, "nothing unfinished is left");
}

#[test]
fn whatever_a_run_ends_with_is_left_whole() {
    for (steps, status, failures, errors, words) in [
        ("- ask: {question: Which colour?}", 3, 0, 1, "**t1** asks, as q1:\n\n```text\nWhich colour?\n```"),
        ("- exit: 3", 1, 1, 0, "### ❌ t1 `job`: failed"),
        ("- rate_limit: {reset: 400s}", 6, 0, 1, "waits for `rate_limit until "),
    ] {
        let desk = Desk::new();
        let more = [&FILES[..], &["--no-project", "--max-wait", "0s"]].concat();
        call(&desk, steps, &more).end().expect(status);
        let document = junit(&desk);
        assert_eq!((document.failures, document.errors), (failures, errors), "{steps}: {document:?}");
        let summary = read(&desk, "summary.md");
        assert!(summary.contains(words), "{steps}:\n{summary}");
    }
}

#[test]
fn the_summary_of_a_step_is_added_to_and_its_log_takes_no_commands_from_an_agent() {
    let desk = Desk::new();
    desk.write("step.md", "before\n");
    let steps =
        "- progress: {message: '::set-output name=x::y'}\n- summary: \"::add-path::/tmp\\n  ::warning::me\"";
    let ended = call(&desk, steps, &["--no-project"])
        .variable("GITHUB_ACTIONS", "true")
        .variable("GITHUB_STEP_SUMMARY", desk.path("step.md"))
        .end()
        .expect(0);
    let page = fs::read_to_string(desk.path("step.md")).unwrap();
    assert!(page.starts_with("before\n### ✅ t1 `job`: completed"), "{page}");
    // What stands between a stop and its word is text to the runner.
    let (mut word, mut commands) = (None::<String>, Vec::new());
    for line in ended.stderr.lines().map(str::trim_start).filter(|line| line.starts_with("::")) {
        match &word {
            Some(one) if line == format!("::{one}::") => word = None,
            Some(_) => {}
            None => match line.strip_prefix("::stop-commands::") {
                Some(one) => word = Some(one.to_owned()),
                None => commands.push(line.to_owned()),
            },
        }
    }
    assert_eq!(
        (commands, word),
        (vec!["::group::callbox".to_owned(), "::endgroup::".to_owned()], None),
        "{ended}"
    );
    let plain = call(&desk, steps, &["--no-project"]).end().expect(0);
    assert!(!plain.stderr.contains("::stop-commands::"), "{plain}");
}

#[test]
fn a_named_secret_stands_in_nothing_that_is_printed_or_written() {
    let desk = Desk::new();
    let steps =
        "- progress: {message: 'it is hunter22'}\n- ask: {question: 'Is it hunter22?'}\n- summary: hunter22";
    let ended = call(&desk, steps, &[&FILES[..], &["--no-project", "--mask", "PASSWORD"]].concat())
        .variable("PASSWORD", "hunter22")
        .end()
        .expect(3);
    let files = ["events.jsonl", "junit.xml", "summary.md", "body.md"].map(|file| read(&desk, file));
    for text in files.iter().map(String::as_str).chain([ended.stdout.as_str(), ended.stderr.as_str()]) {
        assert!(!text.contains("hunter22"), "{text}");
    }
    assert!(files[0].contains("it is ***") && ended.stdout.contains("Is it ***?"), "{ended}");
    let refused = call(&desk, steps, &["--no-project", "--mask", "UNSET"]).end().expect(2);
    refused.says("`--mask UNSET` names no variable");
}

#[test]
fn a_file_that_cannot_be_written_refuses_the_run_before_anything_is_queued() {
    let desk = Desk::new();
    for flag in ["--events", "--junit", "--summary", "--report"] {
        for place in ["missing/file", "."] {
            call(&desk, "- summary: done", &["--no-project", flag, place])
                .end()
                .expect(69)
                .says("cannot be written");
        }
    }
    let one = ["--no-project", "--events", "one", "--junit", "./one"];
    call(&desk, "- summary: done", &one).end().expect(2).says("a place of its own");
    assert!(!desk.has_database());
    for line in [
        &["run", "--no-project", "--agent", "scripted", "--detach", "--junit", "x.xml", "-p", "- summary: x"]
            [..],
        &["answer", "q1", "yes", "--junit", "x.xml"],
    ] {
        desk.callbox(line.iter().copied()).end().expect(2).says("are for a run that is followed");
    }
}

#[test]
fn what_goes_on_behind_an_answer_leaves_its_result_too() {
    let desk = Desk::new();
    call(&desk, "- ask: {question: Which colour?}\n- summary: 'It is {answer}.'", &["--no-project"])
        .end()
        .expect(3);
    let line = [&["answer", "q1", "blue", "--run"][..], &FILES].concat();
    desk.callbox(line).end().expect(0);
    assert_eq!(junit(&desk).failures + junit(&desk).errors, 0);
    let body = read(&desk, "body.md");
    assert!(
        body.contains("q1 of t1:\n\n```text\nWhich colour?\n```\n\nAnswer:\n\n```text\nblue\n```"),
        "{body}"
    );
}
