//! Work that a person accepts before its task counts as done, end to end with the scripted agent.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    cli::{Desk, Ended},
    processes::nothing_left,
    repository::Repository,
};

const PAINTS: &str = "- write: {path: colour.txt, text: red}\n- summary: red\n- prose_question: good?\n\
                      - write: {path: colour.txt, text: blue}\n- summary: blue";

fn run(desk: &Desk, project: &Repository) -> Ended {
    let root = project.root().display().to_string();
    let task =
        ["run", "-C", &root, "--agent", "scripted", "--name", "paint", "--review", "yes", "-p", PAINTS];
    desk.callbox(task.into_iter().chain(["--json"])).end()
}

fn show(desk: &Desk, task: &str) -> Value {
    desk.callbox(["show", task, "--json"]).end().expect(0).json()
}

#[test]
fn delivered_work_waits_for_its_review_and_is_completed_by_accepting_it() {
    let (desk, project) = (Desk::new(), Repository::new());
    let ready = run(&desk, &project).expect(0).json();
    assert_eq!((&ready["task"]["state"], &ready["task"]["wait"]), (&json!("ready"), &json!("review")));
    assert_eq!(project.git(["show", "callbox/t1-paint:colour.txt"]), "red");
    let text = desk.callbox(["show", "t1"]).end().expect(0).stdout;
    for step in ["callbox diff t1", "callbox accept t1", "callbox reject t1 TEXT --run"] {
        assert!(text.contains(step), "no {step} in {text}");
    }
    assert!(desk.callbox(["why", "t1"]).end().expect(0).stdout.contains("callbox accept t1"));
    desk.callbox(["accept", "t1"]).end().expect(0);
    assert_eq!(desk.standing("t1"), "completed");
    // Said again it changes nothing, and there is nothing left to reject.
    assert!(desk.callbox(["accept", "t1"]).end().expect(0).stdout.contains("already accepted"));
    let unreviewed = ["run", "--agent", "scripted", "--no-project", "-p", "- summary: done"];
    desk.callbox(unreviewed).end().expect(0);
    desk.callbox(["accept", "t2"]).end().expect(1).says("t2 is completed, so there is no work to review");
    desk.callbox(["reject", "t1", "no"]).end().expect(1).says("no work to review");
    assert_eq!(show(&desk, "t1")["executions"].as_array().unwrap().len(), 1);
    nothing_left(&desk);
}

#[test]
fn rejected_work_goes_on_with_the_comment_in_the_same_conversation_and_on_the_same_branch() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project).expect(0);
    let reject = ["reject", "t1", "-", "--run", "--json"];
    let again = desk.callbox(reject).stdin("Make it /clear\nblue.").end().expect(0).json();
    assert_eq!((&again["task"]["state"], &again["summary"]), (&json!("ready"), &json!("blue")), "{again}");
    assert_eq!(again["delivery"]["branch"], "callbox/t1-paint");
    assert_eq!(project.git(["show", "callbox/t1-paint:colour.txt"]), "blue");
    let runs = show(&desk, "t1")["executions"].clone();
    assert_eq!((runs.as_array().unwrap().len(), &runs[0]["session_id"]), (2, &runs[1]["session_id"]));
    let told = fs::read_to_string(desk.state().join("executions/2/launch.json")).unwrap();
    assert!(told.contains("does not accept it yet") && told.contains("Make it /clear"), "{told}");
    desk.callbox(["accept", "t1"]).end().expect(0);
    nothing_left(&desk);
}

#[test]
fn without_a_command_to_run_it_rejected_work_waits_for_a_store() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project).expect(0);
    desk.callbox(["reject", "t1", " "]).end().expect(2);
    assert_eq!(desk.standing("t1"), "ready", "a comment that says nothing rejects nothing");
    desk.callbox(["reject", "t1", "blue"]).end().expect(0).says("callbox resume t1 --run");
    assert_eq!(desk.standing("t1"), "queued");
    desk.callbox(["accept", "t1"]).end().expect(1).says("t1 is queued");
    let ended = desk.callbox(["resume", "t1", "--run", "--json"]).end().expect(0).json();
    assert_eq!((&ended["task"]["state"], &ended["summary"]), (&json!("ready"), &json!("blue")));
}

#[test]
fn what_follows_a_reviewed_task_waits_until_it_is_accepted() {
    let (desk, project) = (Desk::new(), Repository::new());
    let file = format!(
        "tasks:\n  - name: first\n    review: yes\n    agent: scripted\n    project: {0}\n    instructions: |\n      \
         - write: {{path: a.txt, text: a}}\n      - summary: a\n  - name: second\n    after: [first]\n    \
         agent: scripted\n    project: {0}\n    instructions: |\n      - write: {{path: b.txt, text: b}}\n      \
         - summary: b\n",
        project.root().display()
    );
    desk.write("home/both.yaml", &file);
    desk.callbox(["run", "both.yaml"]).end().expect(3);
    assert_eq!((desk.standing("t1"), desk.standing("t2")), ("ready".to_owned(), "queued".to_owned()));
    desk.callbox(["accept", "t1"]).end().expect(0);
    desk.callbox(["resume", "t2", "--run"]).end().expect(0);
    assert!(project.git(["ls-tree", "--name-only", "callbox/t2-second"]).contains("a.txt"));
    // A cancel is the third way out of a review, and fails who follows.
    desk.callbox(["run", "both.yaml"]).end().expect(3);
    desk.callbox(["cancel", "t3"]).end().expect(0);
    assert_eq!((desk.standing("t3"), desk.standing("t4")), ("cancelled".to_owned(), "failed".to_owned()));
}
