//! The main job, end to end with the scripted agent: a task, a question, an answer, a delivered branch,
//! and what a kill in the middle of it leaves.

use std::{fs, path::Path, time::Duration};

use rustix::process::Signal;

use crate::support::{
    belongings::belongings,
    cli::{Desk, Ended},
    processes::{kill, nothing_left, processes},
    repository::Repository,
    wait::wait_until,
};

const PATIENCE: Duration = Duration::from_secs(30);

const COLOURS: &str = r#"name: colours
agent: scripted
instructions: |
  - progress: {message: looking, percent: 10}
  - subtask: {name: side, instructions: "- write: {path: side.txt, text: side}\n- summary: side done"}
  - ask: {question: "Which colour?", options: [red, blue]}
  - write: {path: colour.txt, text: "{answer}"}
  - commit: paint it {answer}
  - summary: painted {answer}
"#;

/// A desk whose home holds one task file for a project.
fn desk(task: &str, project: &Repository) -> Desk {
    let desk = Desk::new();
    desk.write("home/task.yaml", &format!("project: {}\n{task}", project.root().display()));
    desk
}

fn run(desk: &Desk) -> Ended {
    desk.callbox(["run", "task.yaml", "--json"]).end()
}

#[test]
fn a_question_blocks_and_its_answer_is_delivered_in_the_same_conversation() {
    let project = Repository::on_branch("trunk");
    project.write("uncommitted.txt", "mine");
    let desk = desk(COLOURS, &project);
    let before = belongings(&project.root());

    let asked = run(&desk).expect(3).json();
    assert_eq!(asked["task"]["state"], "blocked");
    assert_eq!(asked["questions"][0]["question"], "Which colour?");
    assert_eq!(asked["subtasks"][0]["state"], "completed");
    nothing_left(&desk);

    let answered = desk.callbox(["answer", "q1", "--option", "2", "--run", "--json"]).end().expect(0).json();
    assert_eq!(answered["task"]["state"], "completed");
    assert_eq!(answered["summary"], "painted blue");
    assert_eq!(answered["delivery"]["branch"], "callbox/t1-colours");
    assert_eq!(project.git(["show", "callbox/t1-colours:colour.txt"]).trim(), "blue");
    assert_eq!(project.git(["show", "callbox/t2-side:side.txt"]).trim(), "side");
    assert_eq!(belongings(&project.root()), before);

    let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
    let runs = shown["executions"].as_array().unwrap();
    assert_eq!(runs.len(), 2, "{shown}");
    assert_eq!(runs[0]["session_id"], runs[1]["session_id"]);
    assert_eq!((&runs[0]["outcome"], &runs[1]["outcome"]), (&"blocked".into(), &"succeeded".into()));
    nothing_left(&desk);
}

#[test]
fn an_answer_is_given_once() {
    let project = Repository::new();
    let desk = desk(COLOURS, &project);
    run(&desk).expect(3);
    desk.callbox(["answer", "q1", "red"]).end().expect(0);
    let second = desk.callbox(["answer", "q1", "blue"]).end().expect(0);
    assert!(second.stdout.contains("instead of `red`"), "{second}");
    let ended = desk.callbox(["resume", "t1", "--run", "--json"]).end().expect(0).json();
    assert_eq!(ended["summary"], "painted blue", "an answer is replaced until its run starts");
    desk.callbox(["answer", "q1", "red"]).end().expect(1);
}

#[test]
fn an_end_without_a_result_is_a_failure() {
    for steps in ["- exit: 0", "- crash"] {
        let project = Repository::new();
        let desk = desk(&format!("agent: scripted\ninstructions: '{steps}'\n"), &project);
        let ended = run(&desk).expect(1).json();
        assert_eq!(ended["task"]["state"], "failed", "{steps}: {ended}");
        assert!(ended["error"]["message"].is_string(), "{steps}: {ended}");
        assert_eq!(ended["delivery"], serde_json::Value::Null);
        nothing_left(&desk);
    }
}

#[test]
fn a_cancelled_run_leaves_no_process() {
    let project = Repository::new();
    let desk = desk("agent: scripted\ninstructions: |\n  - progress: x\n  - hang\n", &project);
    let running = desk.callbox(["run", "task.yaml", "--json"]).start();
    wait_for_progress(&desk);
    kill(running.pid(), Signal::TERM);
    let ended = running.end().expect(7).json();
    assert_eq!(ended["task"]["state"], "cancelled");
    nothing_left(&desk);
}

#[test]
fn a_task_that_takes_too_long_is_timed_out() {
    let task = "agent: scripted\ntimeout: 1s\ninstructions: '- hang'\n";
    let project = Repository::new();
    let desk = desk(task, &project);
    let ended = run(&desk).expect(4).json();
    assert_eq!(ended["execution"]["outcome"], "timed_out");
    nothing_left(&desk);
}

/// Takes a signal, then works on until the file `go` is there.
const PATIENT: &str = r"agent: scripted
name: patient
instructions: |
  - progress: before
  - sleep: 3s
  - write: {path: done.txt, text: done}
  - summary: done
";

#[test]
fn a_run_outlives_a_store_that_is_killed_and_is_delivered_by_the_next() {
    let project = Repository::new();
    let desk = desk(PATIENT, &project);
    let running = desk.callbox(["run", "task.yaml"]).start();
    wait_for_progress(&desk);
    kill(running.pid(), Signal::KILL);
    running.end();
    // It waits: a command that looks in the same moment may hold the state directory first.
    let next = desk.callbox(["serve", "--wait"]).start();
    wait_until("the task is completed", PATIENCE, || desk.standing("t1") == "completed");
    kill(next.pid(), Signal::TERM);
    next.end().expect(0);
    let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
    assert_eq!(shown["executions"].as_array().unwrap().len(), 1, "it must not run twice: {shown}");
    let said: Vec<&str> =
        shown["signals"].as_array().unwrap().iter().map(|signal| signal["tool"].as_str().unwrap()).collect();
    assert_eq!(said, ["record_progress", "report_summary"]);
    assert_eq!(project.git(["show", "callbox/t1-patient:done.txt"]).trim(), "done");
    nothing_left(&desk);
}

#[test]
fn a_killed_supervisor_loses_nothing_that_was_said() {
    let project = Repository::new();
    let desk = desk(PATIENT, &project);
    let running = desk.callbox(["run", "task.yaml", "--json"]).start();
    wait_for_progress(&desk);
    let supervisor = fs::read_to_string(desk.state().join("executions/1/alive")).unwrap();
    kill(supervisor.trim().parse().unwrap(), Signal::KILL);
    let ended = running.end().expect(0).says("t1 queued again: the run was lost").json();
    assert_eq!(ended["task"]["state"], "completed");
    let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
    assert_eq!(shown["executions"][0]["outcome"], "lost");
    // The agent may not have heard that it was heard, and then says it again in the next execution.
    let mut first = shown["signals"].as_array().unwrap().iter().filter(|signal| signal["execution"] == "x1");
    assert_eq!(first.next().unwrap()["arguments"]["message"], "before");
    assert!(first.next().is_none(), "{shown}");
    nothing_left(&desk);
}

#[test]
fn a_run_that_was_left_behind_is_followed_to_its_end_by_the_next_who_runs_the_queue() {
    let project = Repository::new();
    let desk = desk(&PATIENT.replace("3s", "1s"), &project);
    let left = desk.callbox(["run", "task.yaml"]).start();
    wait_for_progress(&desk);
    kill(left.pid(), Signal::KILL);
    left.end();
    let why = desk.callbox(["why", "t1"]).end().expect(0);
    assert!(why.stdout.contains("nobody is there for what it says; `callbox run --queued`"), "{why}");
    let report = desk.callbox(["run", "--queued", "--json"]).end().expect(0).json();
    assert_eq!((&report["task"]["number"], &report["summary"]), (&"t1".into(), &"done".into()), "{report}");
    assert_eq!(report["totals"]["executions"], 1, "{report}");
    nothing_left(&desk);
}

#[test]
fn no_secret_is_on_a_command_line_or_in_a_file() {
    const CANARY: &str = "canary-7f3a9c";
    let project = Repository::new();
    let desk = desk(PATIENT, &project);
    let running = desk.callbox(["run", "task.yaml", "--env", "WARY"]).variable("WARY", CANARY).start();
    wait_for_progress(&desk);
    let lines = processes(&desk);
    assert!(lines.iter().any(|(_, line)| line.contains("supervise")), "{lines:?}");
    for (_, line) in lines {
        assert!(!line.contains(CANARY) && !line.contains("cbx_"), "{line}");
    }
    running.end().expect(0);
    for file in files(&desk.state()) {
        let bytes = fs::read(&file).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(CANARY) && !text.contains("cbx_"), "{}", file.display());
    }
}

#[test]
fn a_run_does_not_wait_for_one_that_was_left_behind() {
    let project = Repository::new();
    let desk = desk(&PATIENT.replace("3s", "10m"), &project);
    let left = desk.callbox(["run", "task.yaml"]).start();
    wait_for_progress(&desk);
    kill(left.pid(), Signal::KILL);
    left.end();
    let other = ["run", "-p", "- summary: x", "--agent", "scripted", "--no-project", "--json"];
    assert_eq!(desk.callbox(other).end().expect(0).json()["task"]["number"], "t2");
    assert_eq!(desk.standing("t1"), "running");
    desk.callbox(["cancel", "t1"]).end().expect(0);
    assert_eq!(desk.standing("t1"), "cancelled", "a cancel is heard although no store stays");
    nothing_left(&desk);
}

#[track_caller]
fn wait_for_progress(desk: &Desk) {
    wait_until("the agent has spoken", PATIENCE, || {
        desk.state().join("operator/store.sock").exists() && {
            let shown = desk.callbox(["show", "t1", "--json"]).end();
            shown.status == 0 && shown.json()["signals"].as_array().is_some_and(|signals| !signals.is_empty())
        }
    });
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(files(&entry.path()));
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
    found
}
