//! Supervisors that are killed each time, and agents that leave processes or floods behind. What a single kill costs
//! stands in the table of `kill_table.rs`.

use std::fs;

use crate::support::{
    cli::{Desk, Ended},
    processes::nothing_left,
    repository::Repository,
};

const TASK: &str = r"agent: scripted
name: work
instructions: |
  - write: {path: done.txt, text: done}
  - commit: do it
  - summary: all of it
";

fn run(desk: &Desk, project: &Repository, task: &str, variables: &[(&str, &str)]) -> Ended {
    desk.write("home/task.yaml", &format!("project: {}\n{task}", project.root().display()));
    let call = desk.callbox(["run", "task.yaml", "--json"]);
    variables.iter().fold(call, |call, (name, value)| call.variable(name, value)).end()
}

#[test]
fn supervisors_that_die_before_any_agent_does_anything_are_not_started_for_ever() {
    let (desk, project) = (Desk::new(), Repository::new());
    let ended = run(&desk, &project, TASK, &[("CALLBOX_FAULT", "supervisor:sandbox_made")]).expect(1).json();
    assert_eq!(ended["error"]["code"], "lost", "{ended}");
    let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
    assert_eq!(shown["executions"].as_array().unwrap().len(), 2, "{shown}");
    nothing_left(&desk);
}

/// As an agent does that is killed between a commit and its memory of it.
#[test]
fn a_commit_of_the_scripted_agent_that_is_repeated_stands_once() {
    let (desk, project) = (Desk::new(), Repository::new());
    let repeated = TASK.replace("  - commit: do it\n", "  - commit: do it\n  - commit: do it\n");
    run(&desk, &project, &repeated, &[]).expect(0);
    assert_eq!(project.git(["log", "--format=%s", "main..callbox/t1-work"]), "do it");
}

#[test]
fn what_an_agent_leaves_in_a_session_of_its_own_is_gone_when_run_returns() {
    let (desk, project) = (Desk::new(), Repository::new());
    let task = "agent: scripted\ninstructions: |\n  - orphan: {sleep: 600s}\n  - summary: left one\n";
    let ended = run(&desk, &project, task, &[]).expect(0).json();
    assert_eq!(ended["task"]["state"], "completed", "{ended}");
    nothing_left(&desk);
}

#[test]
fn a_flood_is_cut_and_the_run_ends_as_its_agent_says() {
    let (desk, project) = (Desk::new(), Repository::new());
    let task = "agent: scripted\ninstructions: |\n  - flood: {bytes: 40000000}\n  - summary: said much\n";
    let ended = run(&desk, &project, task, &[]).expect(0).json();
    assert_eq!(ended["summary"], "said much", "{ended}");
    let log = fs::metadata(desk.state().join("executions/1/agent.log")).unwrap();
    assert!(log.len() < 10 << 20, "{} bytes are kept", log.len());
    nothing_left(&desk);
}
