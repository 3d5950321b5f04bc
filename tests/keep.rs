//! Work of runs without a good end, end to end with the scripted agent: it stands in the project under the
//! run's own number, the end stays what it was, and no kill loses the work or keeps it twice.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    cli::{Call, Desk, Ended},
    processes::nothing_left,
    repository::Repository,
    resident::Resident,
    wait::{SOON, wait_until},
};

const WRITES: &str = "- write: {path: a.txt, text: begun}\n";

fn call(desk: &Desk, project: &Repository, steps: &str, more: &[&str]) -> Call {
    let root = project.root().display().to_string();
    let task = ["run", "-C", &root, "--agent", "scripted", "--name", "work", "--json", "-p", steps];
    desk.callbox(task.into_iter().chain(more.iter().copied()))
}

fn run(desk: &Desk, project: &Repository, steps: &str, more: &[&str]) -> Ended {
    call(desk, project, steps, more).end()
}

fn show(desk: &Desk) -> Value {
    desk.callbox(["show", "t1", "--json"]).end().expect(0).json()
}

fn references(project: &Repository) -> String {
    project.git(["for-each-ref", "--format=%(refname)", "refs/callbox", "refs/heads/callbox"])
}

#[test]
fn the_work_of_every_bad_end_is_kept_under_the_number_of_its_run_and_the_end_stays_bad() {
    for (steps, more, status, state) in [
        ("- exit: 3", &[][..], 1, "failed"),
        ("- summary: {summary: no, outcome: failed}", &[], 1, "failed"),
        ("- hang:", &["--timeout", "2s"], 4, "timed_out"),
        ("- rate_limit: {reset: 5s}", &["--on-rate-limit", "fail"], 6, "failed"),
        // What the command wrote is nobody's work.
        ("- summary: done", &["--verify", "echo x > made.txt; exit 3", "--verify-tries", "0"], 1, "failed"),
    ] {
        let (desk, project) = (Desk::new(), Repository::new());
        let ended = run(&desk, &project, &format!("{WRITES}{steps}"), more).expect(status).json();
        assert_eq!((&ended["task"]["state"], &ended["delivery"]), (&json!(state), &Value::Null), "{ended}");
        assert!(!ended["error"].is_null() && ended["execution"]["outcome"] != "succeeded", "{ended}");
        let kept = &ended["kept"];
        assert_eq!((&kept["reference"], &kept["commits"]), (&json!("refs/callbox/x1"), &json!(1)), "{ended}");
        assert_eq!(references(&project), "refs/callbox/x1", "{steps}");
        assert_eq!(project.git(["diff", "--name-only", "main", "refs/callbox/x1"]), "a.txt", "{steps}");
        assert_eq!(project.git(["rev-parse", "refs/callbox/x1"]), kept["head"].as_str().unwrap());
        let message = project.git(["log", "-1", "--format=%an %B", "refs/callbox/x1"]);
        assert!(message.starts_with("callbox") && message.contains("Callbox-Task: t1"), "{message}");
        let text = desk.callbox(["show", "t1"]).end().expect(0).stdout;
        assert!(text.contains("refs/callbox/x1 (1 commit, 1 file, +1"), "{text}");
        nothing_left(&desk);
        // The reference outlives the sandbox.
        fs::remove_dir_all(desk.state().join("sandboxes")).unwrap();
        assert!(desk.callbox(["diff", "t1"]).end().expect(0).stdout.contains("+begun"));
    }
}

#[test]
fn a_cancel_keeps_what_was_done_whether_its_agent_runs_or_waits() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, &format!("{WRITES}- ask: good?"), &[]).expect(3);
    assert_eq!(references(&project), "", "nothing has ended yet");
    let cancelled = desk.callbox(["cancel", "t1", "--json"]).end().expect(0).json();
    assert_eq!(cancelled["state"], "cancelled", "{cancelled}");
    let shown = show(&desk);
    assert_eq!(
        (&shown["task"]["state"], &shown["execution"]["outcome"]),
        (&json!("cancelled"), &json!("blocked"))
    );
    assert_eq!(shown["kept"]["reference"], "refs/callbox/x1", "{shown}");

    let store = Resident::start(&desk);
    let running = call(&desk, &project, &format!("{WRITES}- hang:"), &[]).start();
    wait_until("the agent works", SOON, || desk.state().join("sandboxes/2/1/a.txt").exists());
    desk.callbox(["cancel", "t2"]).end().expect(0);
    desk.callbox(["cancel", "t2"]).end().expect(0);
    let ended = running.end().expect(7).json();
    assert_eq!(
        (&ended["task"]["state"], &ended["kept"]["reference"]),
        (&json!("cancelled"), &json!("refs/callbox/x2"))
    );
    store.stop();
    assert_eq!(references(&project), "refs/callbox/x1\nrefs/callbox/x2");
    nothing_left(&desk);
}

#[test]
fn an_agent_that_did_nothing_and_a_task_that_delivers_nowhere_leave_no_reference() {
    for (steps, more) in
        [("- exit: 3", &[][..]), ("- write: {path: a, text: a}\n- exit: 3", &["--deliver", "none"])]
    {
        let (desk, project) = (Desk::new(), Repository::new());
        let ended = run(&desk, &project, steps, more).expect(1).json();
        assert_eq!((&ended["kept"], &ended["not_kept"]), (&Value::Null, &Value::Null), "{ended}");
        assert_eq!(references(&project), "");
    }
}

#[test]
fn a_reference_of_that_name_that_is_somebody_elses_is_left_where_it_stands() {
    let (desk, project) = (Desk::new(), Repository::new());
    let main = project.git(["rev-parse", "main"]);
    project.git(["update-ref", "refs/callbox/x1", &main]);
    let ended = run(&desk, &project, &format!("{WRITES}- exit: 3"), &[]).expect(1);
    let _ = ended.says("`refs/callbox/x1` holds other work");
    assert_eq!(show(&desk)["kept"]["reference"], "refs/callbox/x1-2");
    assert_eq!(project.git(["rev-parse", "refs/callbox/x1"]), main);
    assert_eq!(project.git(["show", "refs/callbox/x1-2:a.txt"]), "begun");
}

#[test]
fn work_that_cannot_be_kept_is_said_to_stand_in_the_sandbox_alone_and_changes_no_end() {
    let (desk, project) = (Desk::new(), Repository::new());
    // Git keeps `refs/callbox` and what is below it in one place.
    project.git(["update-ref", "refs/callbox", "main"]);
    let ended = run(&desk, &project, &format!("{WRITES}- exit: 3"), &[]).expect(1).json();
    assert_eq!((&ended["task"]["state"], &ended["error"]["code"]), (&json!("failed"), &json!("agent_error")));
    assert!(ended["not_kept"].as_str().unwrap().contains("refs/callbox/x1"), "{ended}");
    assert_eq!(ended["kept"], Value::Null);
    let text = desk.callbox(["show", "t1"]).end().expect(0).stdout;
    assert!(text.contains("in the sandbox alone"), "{text}");
    let sandbox = ended["sandbox"].as_str().unwrap();
    assert_eq!(fs::read_to_string(format!("{sandbox}/a.txt")).unwrap(), "begun");
    assert!(desk.callbox(["diff", "t1"]).end().expect(0).stdout.contains("+begun"));
    nothing_left(&desk);
}

#[test]
fn what_a_run_that_is_taken_up_again_delivers_is_no_longer_said_to_be_kept() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, &format!("{WRITES}- exit: 3\n- write: {{path: b.txt, text: b}}"), &[]).expect(1);
    let ended = desk.callbox(["resume", "t1", "--run", "--json"]).end().expect(0).json();
    assert_eq!((&ended["delivery"]["commits"], &ended["kept"]), (&json!(2), &Value::Null), "{ended}");
    assert_eq!(references(&project), "refs/callbox/x1\nrefs/heads/callbox/t1-work");
}

/// Of supervisors and of stores.
const POINTS: [&str; 5] = [
    "supervisor:outcome_spooled",
    "supervisor:kept_before_report",
    "store:agent_ended_recorded",
    "store:ended_arrived",
    "store:ended_recorded",
];

#[test]
fn wherever_a_process_is_killed_the_work_is_kept_once_and_the_run_is_not_repeated() {
    for point in POINTS {
        let (desk, project) = (Desk::new(), Repository::new());
        let once = desk.path("died").display().to_string();
        let store = point
            .starts_with("store")
            .then(|| Resident::from(&desk, desk.callbox(["serve"]).variable("CALLBOX_FAULT", point).start()));
        let mut failing = call(&desk, &project, &format!("{WRITES}- exit: 3"), &[]);
        if store.is_none() {
            failing = failing.variable("CALLBOX_FAULT", point).variable("CALLBOX_FAULT_ONCE", &once);
        }
        let ended = failing.end().expect(1).json();
        match store {
            Some(store) => assert_eq!(store.ends().status, -1, "{point} was not passed"),
            None => assert!(desk.path("died").exists(), "{point} was not passed"),
        }
        assert_eq!((&ended["task"]["state"], &ended["totals"]["executions"]), (&json!("failed"), &json!(1)));
        assert_eq!(ended["kept"]["reference"], "refs/callbox/x1", "{point}: {ended}");
        assert_eq!(references(&project), "refs/callbox/x1", "{point}");
        assert_eq!(project.git(["rev-list", "--count", "main..refs/callbox/x1"]), "1", "{point}");
        nothing_left(&desk);
    }
}
