//! How the real Gemini CLI goes on: behind a conversation that is gone, a provider that says no, and under what holds it.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    cli::Desk,
    fake_model::{Refusal, Script, Step},
    gemini::{ask, office, shell, summary},
    landlock,
    office::Office,
    processes::nothing_left,
};

/// Every run of the task.
fn runs(office: &Office) -> Vec<Value> {
    let shown = office.callbox(&["show", "t1", "--json"]).end().expect(0).json();
    shown["executions"].as_array().unwrap().clone()
}

#[test]
fn a_conversation_that_is_gone_is_told_anew_in_its_own_directory() {
    let begun = [shell("echo draft > draft.txt"), ask("Which colour?"), Step::say("I have asked.")];
    let anew = [summary("told anew"), Step::say("Done.")];
    let script = Script::default().about("in a conversation that is gone", anew).about("", begun);
    let Some(office) = office(script) else { return };
    office.run(&[]).end().expect(3);
    fs::remove_dir_all(office.desk.state().join("sandboxes/1/1.gemini")).unwrap();
    let ended = office.callbox(&["answer", "q1", "blue", "--run", "--json"]).end().expect(0);
    let ended = ended.says("the agent no longer knew the session; a new conversation begins").json();
    assert_eq!(ended["summary"], "told anew");
    assert_eq!(office.project.git(["show", "callbox/t1-colours:draft.txt"]).trim(), "draft");
    let told = office.model.turns().pop().unwrap().said().concat();
    for part in ["Paint it.", "Answer to question 1 (Which colour?): blue"] {
        assert!(told.contains(part), "{part} is missing from {told}");
    }
    let runs = runs(&office);
    assert_ne!(runs[0]["session_id"], runs[1]["session_id"]);
    nothing_left(&office.desk);
}

#[test]
fn work_that_is_sent_back_twice_goes_on_in_one_conversation() {
    let paint = |colour: &str| shell(&format!("echo {colour} > colour.txt"));
    let script = ["red", "blue", "green"].map(|colour| [paint(colour), Step::say(colour)]);
    let Some(office) = office(Script::of(script.concat())) else { return };
    office.run(&["--review", "yes"]).end().expect(0);
    for colour in ["blue", "green"] {
        let words = format!("Make it {colour}.");
        office.callbox(&["reject", "t1", &words, "--run"]).end().expect(0);
        assert_eq!(office.project.git(["show", "callbox/t1-colours:colour.txt"]).trim(), colour);
    }
    let runs = runs(&office);
    assert_eq!(runs.len(), 3);
    assert!(runs.iter().all(|run| run["session_id"] == runs[0]["session_id"]), "{runs:?}");
}

#[test]
fn a_limit_with_a_time_is_waited_for_until_then_and_counts_as_no_attempt() {
    let quota = "GenerateRequestsPerDayPerProjectPerModel-FreeTier";
    let details =
        json!([{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": quota}]}]);
    let refusal =
        Refusal::always(429, "RESOURCE_EXHAUSTED", "Please retry in 7h2m1.5s.").field("details", details);
    let Some(office) = office(Script::of([Step::say("Done.")]).refusing(refusal.times(1))) else { return };
    let run = office.run(&["--max-wait", "0s", "--json"]);
    let ended = run.end().expect(6).says("the provider refuses for longer than `--max-wait`").json();
    let wait = ended["task"]["wait"].as_str().unwrap();
    assert!(wait.starts_with("rate_limit until "), "{wait}");
    let again = office.callbox(&["resume", "t1", "--run", "--json"]).end().expect(0).json();
    assert_eq!((&again["task"]["state"], &again["execution"]["attempt"]), (&json!("completed"), &json!(1)));
}

#[test]
fn a_refused_login_is_waited_for_until_the_person_has_logged_in() {
    let refusal = Refusal::always(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.");
    let Some(office) = office(Script::of([Step::say("Done.")]).refusing(refusal.times(1))) else { return };
    let ended = office.run(&["--json"]).end().expect(69).json();
    assert_eq!(
        (&ended["task"]["state"], &ended["task"]["wait"]),
        (&json!("queued"), &json!("auth")),
        "{ended}"
    );
    office.callbox(&["resume", "t1", "--run"]).end().expect(0);
    let outcomes: Vec<_> = runs(&office).into_iter().map(|run| run["outcome"].clone()).collect();
    assert_eq!(outcomes, ["auth", "succeeded"]);
}

/// A run that does some of everything, at `desk`, with `more` arguments.
fn works_and_delivers(desk: Desk, more: &[&str]) {
    let script = Script::of([
        shell("echo draft > draft.txt"),
        Step::call("write_file", json!({"file_path": "colour.txt", "content": "blue"})),
        summary("It is blue."),
        Step::say("Done."),
    ]);
    let Some(office) = Office::of("gemini", desk, script) else { return };
    let ended = office.run(&[&["--json"], more].concat()).end().expect(0).json();
    assert_eq!((&ended["summary"], &ended["denied"]), (&json!("It is blue."), &json!([])));
    assert_eq!(ended["delivery"]["files"], 2, "{ended}");
    nothing_left(&office.desk);
}

#[test]
fn it_works_under_what_holds_it() {
    if landlock::needed().is_some() {
        works_and_delivers(Desk::new(), &["--isolation", "landlock"]);
    }
}

/// Settings that would win over everything else Gemini CLI takes from files of root's alone.
#[test]
fn it_works_for_whoever_is_not_root() {
    if let Some(desk) = Desk::of_an_ordinary_user() {
        works_and_delivers(desk, &[]);
    }
}
