//! Seven contracts of a runner, each through the real command line with the scripted agent.

use std::{fs, os::unix::fs::symlink, path::PathBuf};

use serde_json::{Value, json};

use crate::support::{
    belongings::belongings,
    cli::{Call, Desk},
    processes::nothing_left,
    repository::Repository,
};

/// Asks, and when it is answered writes what it was told.
const ASKS: &str = "- write: {path: before.txt, text: before}\n\
    - ask: {question: Which colour?}\n\
    - write: {path: colour.txt, text: \"{answer}\"}\n\
    - summary: painted {answer}";

fn scripted(desk: &Desk, steps: &str) -> Call {
    desk.callbox(["run", "--agent", "scripted", "--name", "paint", "--json", "-p", steps])
}

fn show(desk: &Desk) -> Value {
    desk.callbox(["show", "t1", "--json"]).end().expect(0).json()
}

/// Where a report says the sandbox is.
#[track_caller]
fn sandbox(report: &Value) -> PathBuf {
    PathBuf::from(report["sandbox"].as_str().unwrap_or_else(|| panic!("no sandbox in {report}")))
}

/// The sessions of all executions, in their order.
fn sessions(report: &Value) -> Vec<&str> {
    let runs = report["executions"].as_array().unwrap();
    runs.iter().map(|run| run["session_id"].as_str().unwrap()).collect()
}

#[test]
fn an_unreadable_project_is_an_error_and_nothing_else() {
    let desk = Desk::new();
    let endless = desk.path("endless");
    symlink(&endless, &endless).unwrap();
    let project = ["run", "--agent", "scripted", "-p", ASKS, "-C", endless.to_str().unwrap()];
    let ended = desk.callbox(project).end().expect(69).says("cannot be read");
    assert!(ended.stderr.contains(endless.to_str().unwrap()) && ended.stdout.is_empty(), "{ended}");
    assert!(!desk.has_database(), "nothing was queued");
    nothing_left(&desk);
}

#[test]
fn a_project_that_became_unreadable_before_its_turn_is_an_error_and_nothing_else() {
    let (desk, project) = (Desk::new(), Repository::new());
    let submit = ["submit", "--agent", "scripted", "-p", ASKS];
    desk.callbox(submit).within(project.root()).end().expect(0);
    fs::write(project.root().join(".git/HEAD"), "nonsense").unwrap();
    let ended = desk.callbox(["run", "--queued", "--json"]).end().expect(69).json();
    assert_eq!((&ended["task"]["state"], &ended["error"]["code"]), (&json!("failed"), &json!("project")));
    assert!(
        ended["error"]["message"].as_str().unwrap().contains(project.root().to_str().unwrap()),
        "{ended}"
    );
    assert_eq!(ended["sandbox"], json!(null));
    assert!(!desk.state().join("sandboxes/1/1").exists());
    nothing_left(&desk);
}

#[test]
fn with_a_project_the_agents_directory_is_a_sandbox() {
    let (desk, project) = (Desk::new(), Repository::new());
    project.write("uncommitted.txt", "mine");
    let before = belongings(&project.root());
    let steps = "- write: {path: made.txt, text: made}\n- write: {path: README.md, text: changed}\n- exit: 1";
    let ended = scripted(&desk, steps).within(project.root()).end().expect(1).json();
    let sandbox = sandbox(&ended);
    assert_eq!(sandbox, desk.state().join("sandboxes/1/1"));
    assert!(sandbox.join(".git").is_dir() && sandbox.join("src/lib.rs").is_file());
    assert!(!sandbox.join("uncommitted.txt").exists());
    assert_eq!(fs::read_to_string(sandbox.join("made.txt")).unwrap(), "made");
    assert_eq!(fs::read_to_string(sandbox.join("README.md")).unwrap(), "changed");
    project.git(["update-ref", "-d", "refs/callbox/x1"]);
    assert_eq!(belongings(&project.root()), before, "nothing but the work that is kept");
}

#[test]
fn a_question_blocks_and_keeps_the_sandbox_with_its_path_on_the_execution() {
    let (desk, project) = (Desk::new(), Repository::new());
    let asked = scripted(&desk, ASKS).within(project.root()).end().expect(3).json();
    assert_eq!(
        (&asked["task"]["state"], &asked["execution"]["outcome"]),
        (&json!("blocked"), &json!("blocked"))
    );
    assert_eq!(asked["questions"][0]["state"], "open");
    assert_eq!(fs::read_to_string(sandbox(&asked).join("before.txt")).unwrap(), "before");
    assert_eq!(sandbox(&show(&desk)), sandbox(&asked));
    assert_eq!(project.git(["branch", "--list", "callbox/*"]), "", "nothing is delivered meanwhile");
    nothing_left(&desk);
}

#[test]
fn an_agent_that_fails_keeps_its_sandbox_with_its_path_in_the_error() {
    for (status, end) in [
        (1, "exit: 7"),
        (1, "exit: 0"),
        (1, "crash"),
        (1, "summary: {summary: no way, outcome: failed}"),
        (4, "hang"),
    ] {
        let (desk, project) = (Desk::new(), Repository::new());
        let steps = format!("- write: {{path: half.txt, text: half}}\n- {end}");
        let run = ["run", "--agent", "scripted", "--timeout", "2s", "-p", &steps];
        let ended = desk.callbox(run).within(project.root()).end().expect(status);
        let report = show(&desk);
        let sandbox = sandbox(&report);
        let path = sandbox.to_str().unwrap();
        assert!(report["error"]["hint"].as_str().unwrap().contains(path), "{end}: {report}");
        assert_eq!(ended.stdout.matches(path).count(), 1, "{end}: {ended}");
        assert_eq!(fs::read_to_string(sandbox.join("half.txt")).unwrap(), "half");
        assert_eq!(project.git(["branch", "--list", "callbox/*"]), "");
        nothing_left(&desk);
    }
}

#[test]
fn a_resume_with_its_sandbox_goes_on_in_that_one() {
    let (desk, project) = (Desk::new(), Repository::new());
    let asked = scripted(&desk, ASKS).within(project.root()).end().expect(3).json();
    fs::write(sandbox(&asked).join("left.txt"), "by whoever was there").unwrap();
    project.commit("the project goes on");
    let answered = desk.callbox(["answer", "q1", "blue", "--run", "--json"]).end().expect(0).json();
    assert_eq!(sandbox(&answered), sandbox(&asked));
    assert!(!desk.state().join("sandboxes/1/2").exists());
    let shown = show(&desk);
    let sessions = sessions(&shown);
    assert_eq!((sessions.len(), sessions[0]), (2, sessions[1]));
    for (file, text) in
        [("before.txt", "before"), ("left.txt", "by whoever was there"), ("colour.txt", "blue")]
    {
        assert_eq!(project.git(["show", &format!("callbox/t1-paint:{file}")]), text);
    }
}

#[test]
fn a_resume_without_its_sandbox_makes_a_new_clone_and_a_fresh_conversation_and_says_so() {
    let (desk, project) = (Desk::new(), Repository::new());
    let asked = scripted(&desk, ASKS).within(project.root()).end().expect(3).json();
    fs::remove_dir_all(sandbox(&asked)).unwrap();
    project.write("later.txt", "later");
    project.commit("the project goes on");
    let answer = ["answer", "q1", "blue", "--run", "--json"];
    // The scripted agent knows nothing of its gone session: told everything anew, it begins and asks again.
    let again = desk.callbox(answer).end().expect(3).says("the sandbox was gone; a new conversation begins");
    let sandbox = sandbox(&again.json());
    assert!(sandbox.join(".git").is_dir() && sandbox.join("later.txt").is_file(), "a new clone");
    let transcript = desk.callbox(["logs", "t1"]).end().expect(0);
    assert!(transcript.stdout.contains("a new conversation begins"), "{transcript}");
    desk.callbox(["answer", "q2", "green", "--run"]).end().expect(0);
    assert_eq!(project.git(["show", "callbox/t1-paint:colour.txt"]), "green");
    let shown = show(&desk);
    let sessions = sessions(&shown);
    assert!(sessions[0] != sessions[1] && sessions[1] == sessions[2], "{sessions:?}");
}

#[test]
fn without_a_project_nothing_is_cloned() {
    let desk = Desk::new();
    fs::remove_file(desk.path("bin/git")).unwrap();
    let steps = "- write: {path: made.txt, text: made}\n- summary: made it";
    let run = ["run", "--agent", "scripted", "--no-project", "--json", "-p", steps];
    let ended = desk.callbox(run).end().expect(0).json();
    assert_eq!((&ended["summary"], &ended["delivery"]), (&json!("made it"), &json!(null)));
    let files: Vec<_> =
        fs::read_dir(sandbox(&ended)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files, ["made.txt"], "an empty directory and what the agent made, without any git");
    nothing_left(&desk);
}
