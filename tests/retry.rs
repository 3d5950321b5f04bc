//! An ended task done anew, and where its agent worked, end to end with the scripted agent.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    cli::{Desk, Ended},
    processes::nothing_left,
    repository::Repository,
};

fn run(desk: &Desk, project: &Repository, steps: &str) -> Ended {
    let root = project.root().display().to_string();
    desk.callbox(["run", "-C", &root, "--agent", "scripted", "--name", "work", "--json", "-p", steps]).end()
}

fn executions(desk: &Desk) -> Vec<Value> {
    let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
    shown["executions"].as_array().unwrap().clone()
}

#[test]
fn a_retry_goes_on_in_the_same_conversation_and_sandbox() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, "- write: {path: a.txt, text: a}\n- exit: 1\n- summary: at last").expect(1);
    let ended = desk.callbox(["retry", "t1", "--run", "--json"]).end().expect(0).json();
    assert_eq!((&ended["summary"], &ended["delivery"]["files"]), (&json!("at last"), &json!(1)), "{ended}");
    let runs = executions(&desk);
    assert_eq!((runs.len(), &runs[0]["session_id"]), (2, &runs[1]["session_id"]));
    assert!(ended["sandbox"].as_str().unwrap().ends_with("/sandboxes/1/1"), "{ended}");
    nothing_left(&desk);
}

#[test]
fn a_fresh_retry_has_a_conversation_a_sandbox_and_a_branch_of_its_own() {
    let (desk, project) = (Desk::new(), Repository::new());
    let steps = "- ask: {question: Which?}\n- write: {path: a.txt, text: \"{answer}\"}\n- summary: done";
    run(&desk, &project, steps).expect(3);
    desk.callbox(["answer", "q1", "red", "--run"]).end().expect(0);
    let first = project.git(["rev-parse", "callbox/t1-work"]);
    desk.callbox(["retry", "t1", "--fresh", "--run"]).end().expect(3);
    let ended = desk.callbox(["answer", "q2", "blue", "--run", "--json"]).end().expect(0).json();
    assert_eq!((&ended["task"]["state"], &ended["delivery"]["commits"]), (&json!("completed"), &json!(1)));
    assert!(ended["sandbox"].as_str().unwrap().ends_with("/sandboxes/1/2"), "{ended}");
    assert!(desk.state().join("sandboxes/1/1/a.txt").exists(), "the first sandbox is kept");
    let runs = executions(&desk);
    assert_ne!(runs[1]["session_id"], runs[2]["session_id"]);
    assert_eq!(runs[2]["session_id"], runs[3]["session_id"]);
    assert_eq!(project.git(["rev-parse", "callbox/t1-work"]), first, "delivered work is not replaced");
    assert_eq!(ended["delivery"]["branch"], "callbox/t1-work-2", "{ended}");
    // From the task's own base, and yet not without what is known.
    assert_eq!(ended["delivery"]["base"].as_str().unwrap(), project.git(["rev-parse", "main"]));
    let told = fs::read_to_string(desk.state().join("executions/3/launch.json")).unwrap();
    assert!(told.contains("Answer to question 1 (") && told.contains("red"), "{told}");
    nothing_left(&desk);
}

#[test]
fn only_what_has_ended_is_done_anew() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, "- ask: {question: Which?}").expect(3);
    desk.callbox(["retry", "t1"]).end().expect(1).says("only an ended task can be tried again");
    desk.callbox(["cancel", "t1"]).end().expect(0);
    desk.callbox(["retry", "t1", "--fresh"]).end().expect(0).says("callbox resume t1 --run");
    let asked = desk.callbox(["resume", "t1", "--run", "--json"]).end().expect(3).json();
    let states: Vec<_> = asked["questions"].as_array().unwrap().iter().map(|one| &one["state"]).collect();
    assert_eq!(states, ["withdrawn", "open"], "{asked}");
}

#[test]
fn open_prints_where_the_agent_worked_and_nothing_else() {
    let (desk, project) = (Desk::new(), Repository::new());
    desk.callbox(["submit", "--no-project", "--agent", "scripted", "-p", "- summary: x"]).end().expect(0);
    desk.callbox(["open", "t1"]).end().expect(1).says("`t1` has no sandbox yet");
    run(&desk, &project, "- write: {path: a.txt, text: a}\n- summary: done").expect(0);
    let place = desk.state().join("sandboxes/2/1");
    let opened = desk.callbox(["open", "t2"]).end().expect(0);
    assert_eq!(opened.stdout, format!("{}\n", place.display()));
    let json = desk.callbox(["open", "t2", "--json"]).end().expect(0).json();
    assert_eq!(json, json!({"task": "t2", "sandbox": place.display().to_string()}));
    fs::remove_dir_all(&place).unwrap();
    desk.callbox(["open", "t2"]).end().expect(1).says("is gone");
}
