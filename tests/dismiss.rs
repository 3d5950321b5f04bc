//! Questions that nobody answers: the end that waited for them follows, end to end with the scripted agent.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    cli::{Desk, Ended},
    processes::nothing_left,
    repository::Repository,
    resident::Resident,
};

const ASKS: &str = "- write: {path: a.txt, text: a}\n- ask: {question: Which?}\n- summary: \"{answer}\"";
const ASKS_TWO: &str = "- write: {path: a.txt, text: a}\n- ask: {question: Which?, keep_working: yes}\n\
                        - ask: {question: How many?}\n- summary: \"{answer}\"";

fn run(desk: &Desk, project: &Repository, steps: &str, more: &[&str]) -> Ended {
    let root = project.root().display().to_string();
    let task = ["run", "-C", &root, "--agent", "scripted", "--name", "ask", "--json", "-p", steps];
    desk.callbox(task.into_iter().chain(more.iter().copied())).end()
}

fn show(desk: &Desk) -> Value {
    desk.callbox(["show", "t1", "--json"]).end().expect(0).json()
}

#[test]
fn the_last_question_dismissed_delivers_the_work_without_another_run() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, ASKS, &[]).expect(3);
    let said = desk.callbox(["dismiss", "t1"]).end().expect(0);
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("t1 is completed\n", ""));
    let shown = show(&desk);
    assert_eq!(
        (&shown["task"]["state"], &shown["questions"][0]["state"]),
        (&json!("completed"), &json!("withdrawn"))
    );
    assert_eq!(
        (&shown["totals"]["executions"], &shown["delivery"]["files"]),
        (&json!(1), &json!(1)),
        "{shown}"
    );
    assert_eq!(shown["execution"]["outcome"], "succeeded");
    assert_eq!(project.git(["show", "callbox/t1-ask:a.txt"]), "a");
    // Said again it changes nothing, and there is nothing left to answer.
    assert!(desk.callbox(["dismiss", "q1"]).end().expect(0).stdout.contains("already withdrawn"));
    desk.callbox(["answer", "q1", "late"]).end().expect(1).says("was withdrawn");
    nothing_left(&desk);
}

#[test]
fn under_a_resident_store_it_is_delivered_there() {
    let (desk, project) = (Desk::new(), Repository::new());
    let store = Resident::start(&desk);
    run(&desk, &project, ASKS, &[]).expect(3);
    let ended = desk.callbox(["dismiss", "q1", "--run", "--json"]).end().expect(0).json();
    assert_eq!((&ended["task"]["state"], &ended["delivery"]["commits"]), (&json!("completed"), &json!(1)));
    assert_eq!(ended["totals"]["executions"], 1, "{ended}");
    store.stop();
    nothing_left(&desk);
}

#[test]
fn an_answer_beside_a_dismissed_question_is_told_whichever_came_first() {
    for first in ["answer", "dismiss"] {
        let (desk, project) = (Desk::new(), Repository::new());
        run(&desk, &project, ASKS_TWO, &[]).expect(3);
        let answer = || desk.callbox(["answer", "q1", "blue"]).end().expect(0);
        let dismiss = || desk.callbox(["dismiss", "q2"]).end().expect(0);
        if first == "answer" {
            answer();
            dismiss().says("callbox resume t1 --run");
        } else {
            assert!(dismiss().stdout.contains("other questions"), "q1 is still open");
            assert_eq!(desk.standing("t1"), "blocked");
            answer();
        }
        assert_eq!(desk.standing("t1"), "queued", "{first} first");
        assert_eq!(
            project.git(["for-each-ref", "refs/heads/callbox"]),
            "",
            "what is half done is not delivered"
        );
        let ended = desk.callbox(["resume", "t1", "--run", "--json"]).end().expect(0).json();
        assert_eq!(ended["summary"], "blue", "{first} first: {ended}");
        let told = fs::read_to_string(desk.state().join("executions/2/launch.json")).unwrap();
        assert!(told.contains("Answer to question 1 ("), "{told}");
        desk.callbox(["dismiss", "q1"]).end().expect(1).says("`q1` is answered");
    }
}

#[test]
fn a_run_that_failed_with_a_question_open_has_failed_when_that_is_dismissed() {
    let (desk, project) = (Desk::new(), Repository::new());
    let steps = "- ask: {question: Which?, keep_working: yes}\n- exit: 4";
    run(&desk, &project, steps, &[]).expect(3);
    assert_eq!(desk.callbox(["dismiss", "q1"]).end().expect(0).stdout, "t1 is failed\n");
    let shown = show(&desk);
    assert_eq!(
        (&shown["task"]["state"], &shown["execution"]["outcome"]),
        (&json!("failed"), &json!("failed"))
    );
    assert!(shown["error"]["message"].is_string() && shown["delivery"].is_null(), "{shown}");
}

#[test]
fn what_the_task_demands_holds_behind_a_dismissed_question_too() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, ASKS, &["--verify", "echo looked; false", "--verify-tries", "0"]).expect(3);
    assert_eq!(desk.callbox(["dismiss", "q1"]).end().expect(0).stdout, "t1 is failed\n");
    let shown = show(&desk);
    assert_eq!((&shown["error"]["code"], &shown["verify"]["tail"]), (&json!("verify"), &json!("looked\n")));
    assert_eq!(project.git(["for-each-ref", "refs/heads/callbox"]), "");
}

#[test]
fn a_killed_supervisor_delivers_behind_a_dismissed_question_once() {
    for point in ["supervisor:after_started", "supervisor:delivered_before_report"] {
        let (desk, project) = (Desk::new(), Repository::new());
        run(&desk, &project, ASKS, &[]).expect(3);
        let once = desk.path("died").display().to_string();
        let dismiss = desk.callbox(["dismiss", "q1"]).variable("CALLBOX_FAULT", point);
        dismiss.variable("CALLBOX_FAULT_ONCE", once).end().expect(0);
        assert!(desk.path("died").exists(), "{point} was not passed");
        let shown = show(&desk);
        assert_eq!(
            (&shown["task"]["state"], &shown["totals"]["executions"]),
            (&json!("completed"), &json!(1))
        );
        let branches = project.git(["for-each-ref", "--format=%(refname:short)", "refs/heads/callbox"]);
        assert_eq!(branches, "callbox/t1-ask", "{point}");
        assert_eq!(project.git(["rev-list", "--count", "main..callbox/t1-ask"]), "1", "{point}");
        nothing_left(&desk);
    }
}
