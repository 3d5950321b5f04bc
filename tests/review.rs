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
    desk.callbox(["accept", "t1"]).end().expect(0).says("t2 waited for this and can run now");
    desk.callbox(["resume", "t2", "--run"]).end().expect(0);
    assert!(project.git(["ls-tree", "--name-only", "callbox/t2-second"]).contains("a.txt"));
    // A cancel is the third way out of a review, and fails who follows.
    desk.callbox(["run", "both.yaml"]).end().expect(3);
    desk.callbox(["cancel", "t3"]).end().expect(0);
    assert_eq!((desk.standing("t3"), desk.standing("t4")), ("cancelled".to_owned(), "failed".to_owned()));
}

const MERGES: [&str; 6] = ["--review", "yes", "--deliver", "merge", "--name", "paint"];

/// A task whose work is reviewed and then merged, done once.
fn to_merge(desk: &Desk, project: &Repository, steps: &str, more: &[&str]) -> Value {
    let root = project.root().display().to_string();
    let task = ["run", "-C", &root, "--agent", "scripted", "--json", "-p", steps];
    let ended = desk.callbox(task.iter().chain(&MERGES).chain(more)).end().expect(0);
    assert!(!ended.stderr.contains("does not move"), "nothing is merged yet: {ended}");
    ended.json()
}

#[test]
fn what_is_to_be_merged_waits_on_its_branch_and_is_merged_when_it_is_accepted() {
    let (desk, project) = (Desk::new(), Repository::new());
    let check = ["--verify", "cat colour.txt; [ ! -e own.txt ] || echo both"];
    project.write("README.md", "half of it");
    let ready = to_merge(&desk, &project, "- write: {path: colour.txt, text: red}\n- summary: red", &check);
    project.git(["checkout", "-q", "--", "."]);
    let shown = desk.callbox(["show", "t1"]).end().expect(0).stdout;
    assert!(shown.contains("callbox/t1-paint (1 commit") && !shown.contains("merged"), "{shown}");
    assert_eq!(
        (&ready["task"]["state"], &ready["delivery"]["branch"]),
        (&json!("ready"), &json!("callbox/t1-paint"))
    );
    assert!(!project.root().join("colour.txt").exists());
    // The branch moved on, and somebody works beside it.
    project.write("own.txt", "mine");
    let own = project.commit("my own");
    project.write("own.txt", "not committed");
    let refused = desk.callbox(["accept", "t1"]).end().expect(1);
    let _ = refused.says("the work of t1 is not merged").says("`main` is checked out with 1 changed file");
    assert_eq!((desk.standing("t1"), project.git(["rev-parse", "main"])), ("ready".to_owned(), own.clone()));
    project.git(["checkout", "-q", "--", "."]);
    let said = desk.callbox(["accept", "t1"]).end().expect(0).stdout;
    assert!(said.contains("accepted and merged"), "{said}");
    let done = show(&desk, "t1");
    assert_eq!(
        (&done["task"]["state"], &done["delivery"]["branch"]),
        (&json!("completed"), &json!("main")),
        "{done}"
    );
    assert_eq!((&done["verify"]["tail"], &done["error"]), (&json!("redboth\n"), &Value::Null), "{done}");
    assert_eq!(project.git(["rev-parse", "main~1"]), own);
    assert_eq!(fs::read_to_string(project.root().join("colour.txt")).unwrap(), "red");
    assert_eq!(done["executions"].as_array().unwrap().len(), 1);
    assert!(desk.callbox(["accept", "t1"]).end().expect(0).stdout.contains("already accepted"));
    nothing_left(&desk);
}

#[test]
fn accepted_work_in_conflict_goes_back_to_its_agent_and_is_reviewed_again() {
    let (desk, project) = (Desk::new(), Repository::new());
    let steps = "- write: {path: colour.txt, text: red}\n- prose_question: good?\n\
        - write: {path: colour.txt, text: green}\n- commit: mine again\n- summary: green";
    to_merge(&desk, &project, steps, &[]);
    project.write("colour.txt", "blue");
    let own = project.commit("my own");
    let refused = desk.callbox(["accept", "t1"]).end().expect(1);
    let _ = refused.says("the work of t1 is not merged and goes back to its agent: ").says("colour.txt");
    assert_eq!((desk.standing("t1"), project.git(["rev-parse", "main"])), ("queued".to_owned(), own.clone()));
    let again = desk.callbox(["run", "--queued", "--json"]).end().expect(0).json();
    assert_eq!((&again["task"]["state"], &again["summary"]), (&json!("ready"), &json!("green")), "{again}");
    let shown = show(&desk, "t1");
    let (first, last) = (&shown["executions"][0]["error"], &shown["executions"][1]["error"]);
    assert_eq!((&first["code"], last), (&json!("conflict"), &Value::Null), "{shown}");
    assert_eq!(again["delivery"]["branch"], "callbox/t1-paint", "a review is never of the person's branch");
    assert_eq!(project.git(["rev-parse", "main"]), own);
    let told = fs::read_to_string(desk.state().join("executions/2/launch.json")).unwrap();
    assert!(told.contains("cannot be merged into the branch"), "{told}");
    nothing_left(&desk);
}

#[test]
fn work_that_changed_nothing_is_accepted_without_a_merge_and_more_of_it_waits_on_a_branch_again() {
    let (desk, project) = (Desk::new(), Repository::new());
    to_merge(
        &desk,
        &project,
        "- summary: nothing\n- prose_question: more?\n- write: {path: a.txt, text: a}",
        &[],
    );
    desk.callbox(["accept", "t1"]).end().expect(0);
    assert_eq!(desk.standing("t1"), "completed");
    let more = desk.callbox(["resume", "t1", "More.", "--run", "--json"]).end().expect(0).json();
    assert_eq!(
        (&more["task"]["state"], &more["delivery"]["branch"]),
        (&json!("ready"), &json!("callbox/t1-paint"))
    );
    desk.callbox(["accept", "t1"]).end().expect(0);
    assert!(project.root().join("a.txt").exists());
    nothing_left(&desk);
}
