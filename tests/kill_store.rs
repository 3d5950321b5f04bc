//! A store that is killed between what it was asked and its answer: the next one goes on, and everything
//! that was said is there once.

use crate::support::{
    cli::{Desk, Running},
    processes::nothing_left,
    repository::Repository,
    wait::{SOON, wait_until},
};

const POINTS: [&str; 10] = [
    "store:claimed",
    "store:started_recorded",
    "store:facts_recorded",
    "store:signal_arrived",
    "store:signal_recorded",
    "store:signal_recorded#2",
    "store:signal_recorded#3",
    "store:agent_ended_recorded",
    "store:ended_arrived",
    "store:ended_recorded",
];

const TASK: &str = r#"agent: scripted
name: work
resume_after_subtasks: no
instructions: |
  - progress: half of it
  - subtask: {name: side, instructions: "- summary: side done"}
  - write: {path: done.txt, text: done}
  - commit: do it
  - summary: all of it
"#;

fn serve(desk: &Desk, point: &str) -> Running {
    let store = desk.callbox(["serve"]).variable("CALLBOX_FAULT", point).start();
    wait_until("the store answers", SOON, || desk.state().join("operator/store.sock").exists());
    store
}

#[test]
fn wherever_a_store_is_killed_its_run_goes_on_and_nothing_is_lost_or_done_twice() {
    for point in POINTS {
        let (desk, project) = (Desk::new(), Repository::new());
        desk.write("home/task.yaml", &format!("project: {}\n{TASK}", project.root().display()));
        let store = serve(&desk, point);
        let ended = desk.callbox(["run", "task.yaml", "--json"]).end().expect(0).json();
        assert_eq!(store.end().status, -1, "{point} was not passed");
        assert_eq!(ended["task"]["state"], "completed", "{point}: {ended}");
        assert_eq!(ended["summary"], "all of it", "{point}: {ended}");
        assert_eq!(ended["subtasks"].as_array().unwrap().len(), 1, "{point}: {ended}");
        let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
        let runs = shown["executions"].as_array().unwrap();
        assert!(runs.iter().all(|run| run["outcome"] == "succeeded"), "{point}: {shown}");
        let signals = shown["signals"].as_array().unwrap().iter();
        let said: Vec<_> = signals.map(|signal| signal["tool"].as_str().unwrap()).collect();
        assert_eq!(said, ["record_progress", "spawn_subtask", "report_summary"], "{point}");
        assert_eq!(project.git(["rev-list", "--count", "main..callbox/t1-work"]), "1", "{point}");
        nothing_left(&desk);
    }
}
