//! A supervisor that is killed between any two of its steps: the task is done all the same, once.

use std::fs;

use crate::support::{
    cli::{Desk, Ended},
    processes::nothing_left,
    repository::Repository,
};

/// Each number of executions that the task then takes: what was lost before or while the agent worked
/// is run again, what was already over is only handed over.
const POINTS: [(&str, usize); 5] = [
    ("supervisor:after_started", 2),
    ("supervisor:sandbox_made", 2),
    ("supervisor:agent_started", 2),
    ("supervisor:outcome_spooled", 1),
    ("supervisor:delivered_before_report", 1),
];

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
fn wherever_a_supervisor_is_killed_the_work_is_delivered_once() {
    for (point, executions) in POINTS {
        let (desk, project) = (Desk::new(), Repository::new());
        let once = desk.path("died").display().to_string();
        let variables = [("CALLBOX_FAULT", point), ("CALLBOX_FAULT_ONCE", &*once)];
        let ended = run(&desk, &project, TASK, &variables).expect(0).json();
        assert!(desk.path("died").exists(), "{point} was not passed");
        assert_eq!(ended["task"]["state"], "completed", "{point}: {ended}");
        assert_eq!(ended["summary"], "all of it", "{point}: {ended}");
        let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
        assert_eq!(shown["executions"].as_array().unwrap().len(), executions, "{point}: {shown}");
        let branches = project.git(["for-each-ref", "--format=%(refname:short)", "refs/heads/callbox"]);
        assert_eq!(branches, "callbox/t1-work", "{point}");
        assert_eq!(project.git(["show", "callbox/t1-work:done.txt"]), "done", "{point}");
        assert_eq!(project.git(["rev-list", "--count", "main..callbox/t1-work"]), "1", "{point}");
        nothing_left(&desk);
    }
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
