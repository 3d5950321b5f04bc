//! What a task may demand of a run before its work counts: a summary, a change. End to end with the
//! scripted agent.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    cli::{Call, Desk},
    processes::nothing_left,
    repository::Repository,
};

fn run(desk: &Desk, project: &Repository, demand: &str, steps: &str) -> Call {
    let root = project.root().display().to_string();
    desk.callbox(["run", "-C", &root, "--agent", "scripted", demand, "yes", "--json", "-p", steps])
}

fn runs(desk: &Desk) -> Vec<Value> {
    let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
    shown["executions"].as_array().unwrap().clone()
}

#[test]
fn a_question_in_prose_is_reminded_of_the_way_to_ask_and_goes_on_in_the_same_conversation() {
    let (desk, project) = (Desk::new(), Repository::new());
    let steps = "- write: {path: half.txt, text: half}\n- prose_question: Which colour shall it be?\n\
                 - ask: {question: Which colour?}\n- summary: \"it is {answer}\"";
    let asked = run(&desk, &project, "--require-summary", steps).end().expect(3).json();
    assert_eq!(asked["questions"][0]["question"], "Which colour?", "{asked}");
    assert_eq!(asked["delivery"], Value::Null);
    let plan = fs::read_to_string(desk.state().join("executions/2/launch.json")).unwrap();
    assert!(plan.contains("callbox: your task goes on."), "{plan}");
    assert!(plan.contains("Your turn ended without `report_summary`"), "{plan}");
    let runs = runs(&desk);
    assert_eq!((runs.len(), &runs[0]["session_id"]), (2, &runs[1]["session_id"]));
    let ended = desk.callbox(["answer", "q1", "blue", "--run", "--json"]).end().expect(0).json();
    assert_eq!((&ended["summary"], &ended["task"]["state"]), (&json!("it is blue"), &json!("completed")));
    nothing_left(&desk);
}

#[test]
fn an_agent_that_never_reports_is_reminded_once_and_then_fails_with_nothing_delivered() {
    let (desk, project) = (Desk::new(), Repository::new());
    let steps = "- write: {path: half.txt, text: half}\n- prose_question: Shall I?\n- prose_question: Well?\n\
                 - prose_question: Hello?";
    let ended = run(&desk, &project, "--require-summary", steps).end().expect(1).json();
    assert_eq!((&ended["task"]["state"], &ended["error"]["code"]), (&json!("failed"), &json!("no_summary")));
    assert_eq!((&ended["summary"], &ended["delivery"]), (&json!("Well?"), &Value::Null), "{ended}");
    assert_eq!(runs(&desk).len(), 2);
    assert_eq!(project.git(["for-each-ref", "refs/heads/callbox"]), "");
    // A person's answer in words is another chance, with another reminder where it is needed.
    let again = desk.callbox(["resume", "t1", "Yes.", "--run", "--json"]).end().expect(1).json();
    assert_eq!(again["error"]["code"], "no_summary", "{again}");
    nothing_left(&desk);
}

#[test]
fn without_the_demand_the_last_words_stand_for_the_summary() {
    let (desk, project) = (Desk::new(), Repository::new());
    let steps = "- write: {path: half.txt, text: half}\n- prose_question: Shall I?";
    let ended = run(&desk, &project, "--require-changes", steps).end().expect(0).json();
    assert_eq!((&ended["summary"], &ended["delivery"]["files"]), (&json!("Shall I?"), &json!(1)));
}

#[test]
fn a_run_without_a_change_fails_where_changes_are_demanded() {
    let (desk, project) = (Desk::new(), Repository::new());
    let ended = run(&desk, &project, "--require-changes", "- summary: nothing to do").end().expect(1).json();
    assert_eq!((&ended["task"]["state"], &ended["error"]["code"]), (&json!("failed"), &json!("no_changes")));
    assert!(ended["error"]["hint"].as_str().unwrap().contains("callbox resume"), "{ended}");
    nothing_left(&desk);
}

/// The parent's own runs may change nothing while its subtasks work.
#[test]
fn what_is_demanded_is_looked_at_when_the_subtasks_are_over() {
    let (desk, project) = (Desk::new(), Repository::new());
    let steps = "- subtask: {name: side, instructions: \"- summary: side\"}\n\
                 - prose_question: waiting\n- write: {path: all.txt, text: all}\n- summary: all";
    let ended = run(&desk, &project, "--require-changes", steps).end().expect(0).json();
    assert_eq!((&ended["summary"], &ended["totals"]["executions"]), (&json!("all"), &json!(3)), "{ended}");
    // Without a resume, what the last run left is judged.
    let idle = format!("resume_after_subtasks: no\nproject: {}\n", project.root().display());
    let idle = format!("{idle}require_changes: yes\nagent: scripted\ninstructions: |\n  - subtask: ");
    desk.write("home/idle.yaml", &format!("{idle}{{name: side, instructions: \"- sleep: 300ms\"}}\n"));
    let ended = desk.callbox(["run", "idle.yaml", "--json"]).end().expect(1).json();
    assert_eq!(ended["error"]["code"], "no_changes", "{ended}");
    nothing_left(&desk);
}

#[test]
fn changes_cannot_be_demanded_where_there_is_nothing_to_change() {
    let desk = Desk::new();
    let task =
        ["run", "--no-project", "--agent", "scripted", "--require-changes", "yes", "-p", "- summary: x"];
    desk.callbox(task).end().expect(2).says("`require_changes` needs a `project`");
}
