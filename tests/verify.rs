//! A command that decides whether the work is good, end to end with the scripted agent: what passes is
//! delivered, what fails goes back to the agent with the output, and no kill delivers anything unverified
//! or twice.

use std::{fs, time::Duration};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{
    cli::{Call, Desk, Ended},
    processes::{is_stopped, kill, nothing_left, processes},
    repository::Repository,
    resident::Resident,
    wait::wait_until,
};

const PATIENCE: Duration = Duration::from_secs(30);

/// Right only once it was mended.
const MENDS: &str = "- write: {path: size.txt, text: small}\n- summary: small\n- prose_question: done\n\
                     - write: {path: size.txt, text: large}\n- summary: large";

/// For commands that count their runs outside the sandbox.
const NOT_HELD: [&str; 2] = ["--isolation", "none"];

fn call(desk: &Desk, project: &Repository, verify: &str, steps: &str, more: &[&str]) -> Call {
    let root = project.root().display().to_string();
    let task = ["run", "-C", &root, "--agent", "scripted", "--name", "work", "--json", "-p", steps];
    desk.callbox(task.into_iter().chain(["--verify", verify]).chain(more.iter().copied()))
}

fn run(desk: &Desk, project: &Repository, verify: &str, steps: &str, more: &[&str]) -> Ended {
    call(desk, project, verify, steps, more).end()
}

fn executions(desk: &Desk) -> Vec<Value> {
    let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
    shown["executions"].as_array().unwrap().clone()
}

/// Every message an execution was started with.
fn told(desk: &Desk, execution: u32) -> String {
    fs::read_to_string(desk.state().join(format!("executions/{execution}/launch.json"))).unwrap()
}

#[test]
fn work_that_passes_is_delivered_without_what_the_command_left() {
    let (desk, project) = (Desk::new(), Repository::new());
    let steps = "- write: {path: size.txt, text: large}\n- summary: done";
    let verify = "cat size.txt && echo loud >&2 && echo made > made.txt";
    let ended = run(&desk, &project, verify, steps, &[]).expect(0).json();
    assert_eq!(ended["task"]["state"], "completed", "{ended}");
    assert_eq!(
        (&ended["verify"]["command"], &ended["verify"]["exit"]),
        (&json!(verify), &json!({"code": 0}))
    );
    let tail = ended["verify"]["tail"].as_str().unwrap();
    assert!(tail.contains("large") && tail.contains("loud"), "{ended}");
    assert!(!project.git(["ls-tree", "--name-only", "-r", "callbox/t1-work"]).contains("made.txt"));
    let log = fs::read_to_string(desk.state().join("executions/1/verify.log")).unwrap();
    assert_eq!(log.len(), tail.len(), "{log}");
    assert!(!desk.state().join("executions/1/tmp").exists());
    nothing_left(&desk);
}

#[test]
fn what_fails_goes_back_with_its_output_in_the_same_conversation_and_is_delivered_once_it_passes() {
    let (desk, project) = (Desk::new(), Repository::new());
    let verify = "size=$(cat size.txt); echo \"it is $size\"; [ \"$size\" = large ]";
    let ended = run(&desk, &project, verify, MENDS, &[]).expect(0).json();
    assert_eq!(
        (&ended["summary"], &ended["verify"]["exit"]),
        (&json!("large"), &json!({"code": 0})),
        "{ended}"
    );
    assert_eq!(project.git(["show", "callbox/t1-work:size.txt"]), "large");
    let runs = executions(&desk);
    assert_eq!((&runs[0]["outcome"], &runs[1]["outcome"]), (&json!("failed"), &json!("succeeded")));
    assert_eq!((runs.len(), &runs[0]["session_id"]), (2, &runs[1]["session_id"]));
    let told = told(&desk, 2);
    assert!(told.contains("failed with exit status 1") && told.contains("it is small"), "{told}");
    nothing_left(&desk);
}

#[test]
fn when_no_tries_are_left_the_run_fails_with_the_output_and_nothing_is_delivered() {
    let (desk, project) = (Desk::new(), Repository::new());
    let verify = "echo looked; exit 3";
    let text = call(&desk, &project, verify, MENDS, &["--verify-tries", "1"]);
    let ended = text.end().expect(1).json();
    assert_eq!((&ended["task"]["state"], &ended["error"]["code"]), (&json!("failed"), &json!("verify")));
    let message = ended["error"]["message"].as_str().unwrap();
    assert!(message.contains("failed with exit status 3"), "{ended}");
    let (exit, tail) = (&ended["verify"]["exit"], &ended["verify"]["tail"]);
    assert_eq!((exit, tail, &ended["delivery"]), (&json!({"code": 3}), &json!("looked\n"), &Value::Null));
    assert_eq!(
        (executions(&desk).len(), project.git(["for-each-ref", "refs/heads/callbox"]).as_str()),
        (2, "")
    );
    let shown = desk.callbox(["show", "t1"]).end().expect(0);
    assert!(
        shown.stdout.contains("failed with exit status 3") && shown.stdout.contains("  looked"),
        "{shown}"
    );
    // A person who takes it up again need not say what the command found.
    desk.callbox(["resume", "t1", "--run"]).end().expect(1);
    assert!(told(&desk, 3).contains("failed with exit status 3"), "{}", told(&desk, 3));
    nothing_left(&desk);
}

#[test]
fn the_command_has_the_agents_environment_and_none_of_callboxs_secrets() {
    let (desk, project) = (Desk::new(), Repository::new());
    let verify = "env; cat /proc/$$/cmdline; pwd";
    let more = ["--env", "GIVEN", "--env", "PLAIN=said"];
    let call = call(&desk, &project, verify, "- summary: done", &more).variable("GIVEN", "looked-up");
    let ended = call.end().expect(0).json();
    let tail = ended["verify"]["tail"].as_str().unwrap();
    for line in ["GIVEN=looked-up", "PLAIN=said", "CALLBOX_EXECUTION=x1", "TMPDIR="] {
        assert!(tail.contains(line), "no {line} in {tail}");
    }
    assert!(tail.trim_end().ends_with("sandboxes/1/1"), "{tail}");
    for secret in ["cbx_", "CALLBOX_TOKEN", "CALLBOX_SOCKET"] {
        assert!(!tail.contains(secret), "{secret} in {tail}");
    }
}

#[test]
fn a_command_that_takes_too_long_has_failed_and_all_it_started_is_gone() {
    let (desk, project) = (Desk::new(), Repository::new());
    let verify = "setsid sleep 600 & echo begun; sleep 600";
    let more = ["--timeout", "2s", "--verify-tries", "0"];
    let ended = run(&desk, &project, verify, "- summary: done", &more).expect(1).json();
    let message = ended["error"]["message"].as_str().unwrap();
    assert!(message.contains("was ended after its limit of 2 s"), "{ended}");
    let tail = ended["verify"]["tail"].as_str().unwrap();
    assert!(tail.starts_with("begun\n") && tail.contains("limit of 2 s"), "{ended}");
    nothing_left(&desk);
}

#[test]
fn what_a_command_leaves_running_is_ended_before_the_branch_is_written() {
    let (desk, project) = (Desk::new(), Repository::new());
    let verify = "setsid sleep 600 & echo left one";
    let ended =
        run(&desk, &project, verify, "- write: {path: a, text: a}\n- summary: done", &[]).expect(0).json();
    assert_eq!((&ended["verify"]["tail"], &ended["delivery"]["commits"]), (&json!("left one\n"), &json!(1)));
    nothing_left(&desk);
}

#[test]
fn a_cancel_ends_the_command_and_delivers_nothing() {
    let (desk, project) = (Desk::new(), Repository::new());
    let store = Resident::start(&desk);
    let steps = "- write: {path: a, text: a}\n- summary: done";
    let running = call(&desk, &project, "echo begun; sleep 600", steps, &[]).start();
    wait_for_the_command(&desk);
    let why = desk.callbox(["why", "t1"]).end().expect(0);
    assert!(why.stdout.contains("is being verified"), "{why}");
    desk.callbox(["cancel", "t1"]).end().expect(0);
    let ended = running.end().expect(7).json();
    assert_eq!((&ended["task"]["state"], &ended["delivery"]), (&json!("cancelled"), &Value::Null), "{ended}");
    assert_eq!(ended["execution"]["outcome"], "cancelled");
    assert_eq!(project.git(["for-each-ref", "refs/heads/callbox"]), "");
    store.stop();
    nothing_left(&desk);
}

/// Each number of times that the command has then been started.
const POINTS: [(&str, usize); 3] = [
    ("supervisor:verify_started", 2),
    ("supervisor:verified_before_report", 2),
    ("supervisor:delivered_before_report", 1),
];

#[test]
fn wherever_a_supervisor_is_killed_the_work_is_verified_and_delivered_once() {
    for (point, times) in POINTS {
        let (desk, project) = (Desk::new(), Repository::new());
        let once = desk.path("died").display().to_string();
        let log = desk.path("verified").display().to_string();
        let verify = format!("echo x >> {log}; echo made > made.txt; sleep 0.2");
        let steps = "- write: {path: a, text: a}\n- summary: done";
        let killed = call(&desk, &project, &verify, steps, &NOT_HELD).variable("CALLBOX_FAULT", point);
        let ended = killed.variable("CALLBOX_FAULT_ONCE", once).end().expect(0).json();
        assert!(desk.path("died").exists(), "{point} was not passed");
        assert_eq!(
            (&ended["task"]["state"], &ended["totals"]["executions"]),
            (&json!("completed"), &json!(1))
        );
        let verified = fs::read_to_string(&log).unwrap().lines().count();
        // One that is killed as it starts may not have written yet.
        assert!(verified == times || point.ends_with("started") && verified == 1, "{point}: {verified}");
        assert_eq!(
            project.git(["for-each-ref", "--format=%(refname:short)", "refs/heads/callbox"]),
            "callbox/t1-work"
        );
        assert_eq!(project.git(["rev-list", "--count", "main..callbox/t1-work"]), "1", "{point}");
        assert_eq!(project.git(["diff", "--name-only", "main", "callbox/t1-work"]), "a", "{point}");
        nothing_left(&desk);
    }
}

#[test]
fn a_store_that_is_killed_behind_a_verification_repeats_nothing_of_it() {
    for (steps, verify, runs) in [
        ("- write: {path: a, text: a}\n- summary: large", "true", 1),
        (MENDS, "[ \"$(cat size.txt)\" = large ]", 2),
    ] {
        let (desk, project) = (Desk::new(), Repository::new());
        let log = desk.path("verified").display().to_string();
        let store = desk.callbox(["serve"]).variable("CALLBOX_FAULT", "store:verified_recorded").start();
        wait_until("the store answers", PATIENCE, || desk.state().join("operator/store.sock").exists());
        let verify = format!("echo x >> {log}; {verify}");
        let ended = run(&desk, &project, &verify, steps, &NOT_HELD).expect(0).json();
        assert_eq!(store.end().status, -1, "the point was not passed");
        assert_eq!(
            (&ended["summary"], &ended["task"]["state"]),
            (&json!("large"), &json!("completed")),
            "{ended}"
        );
        assert_eq!(
            (executions(&desk).len(), fs::read_to_string(&log).unwrap().lines().count()),
            (runs, runs)
        );
        nothing_left(&desk);
    }
}

#[test]
fn what_the_command_wrote_is_not_kept_where_the_next_run_was_cancelled_before_it_began() {
    let (desk, project) = (Desk::new(), Repository::new());
    let store = desk.callbox(["serve"]).variable("CALLBOX_FAULT", "supervisor:after_started");
    let store = store.variable("CALLBOX_FAULT_ACTION", "stop").start();
    wait_until("the store answers", PATIENCE, || desk.state().join("operator/store.sock").exists());
    let root = project.root().display().to_string();
    let task =
        ["submit", "-C", &root, "--agent", "scripted", "--verify", "echo x > made.txt; exit 3", "-p", MENDS];
    desk.callbox(task).end().expect(0);
    let stopped = |execution: u32| {
        let alive = desk.state().join(format!("executions/{execution}/alive"));
        let supervisor = || fs::read_to_string(&alive).ok()?.trim().parse().ok();
        wait_until("its supervisor is stopped", PATIENCE, || supervisor().is_some_and(is_stopped));
        supervisor().unwrap()
    };
    kill(stopped(1), Signal::CONT);
    let next = stopped(2);
    desk.callbox(["cancel", "t1"]).end().expect(0);
    kill(next, Signal::CONT);
    wait_until("the task has ended", PATIENCE, || desk.standing("t1") == "cancelled");
    let shown = desk.callbox(["show", "t1", "--json"]).end().expect(0).json();
    let kept = shown["kept"]["reference"].as_str().unwrap();
    assert_eq!(project.git(["diff", "--name-only", "main", kept]), "size.txt", "{shown}");
    kill(store.pid(), Signal::TERM);
    store.end();
    nothing_left(&desk);
}

#[test]
fn a_supervisor_that_is_killed_under_its_command_leaves_no_process_and_repeats_it() {
    let (desk, project) = (Desk::new(), Repository::new());
    let first = desk.path("first").display().to_string();
    let verify = format!("[ -e {first} ] && exit 0; echo x > {first}; setsid sleep 600 & sleep 600");
    let running = call(&desk, &project, &verify, "- summary: done", &NOT_HELD).start();
    wait_until("the command runs", PATIENCE, || desk.path("first").exists());
    let supervisor = fs::read_to_string(desk.state().join("executions/1/alive")).unwrap();
    kill(supervisor.trim().parse().unwrap(), Signal::KILL);
    let ended = running.end().expect(0).json();
    assert_eq!((&ended["task"]["state"], &ended["totals"]["executions"]), (&json!("completed"), &json!(1)));
    nothing_left(&desk);
}

#[test]
fn without_a_project_the_command_decides_all_the_same() {
    let desk = Desk::new();
    let task = ["run", "--no-project", "--agent", "scripted", "-p", "- summary: done", "--verify-tries", "0"];
    desk.callbox(task.iter().chain(&["--verify", "true"])).end().expect(0);
    let failed = desk.callbox(task.iter().chain(&["--verify", "false"])).end().expect(1);
    assert!(failed.stdout.contains("`false` failed with exit status 1"), "{failed}");
}

#[test]
fn a_task_with_a_command_is_not_done_by_hand_past_it() {
    let desk = Desk::new();
    let task = ["submit", "--no-project", "--agent", "scripted", "-p", "- summary: done", "--verify", "true"];
    desk.callbox(task).end().expect(0);
    desk.callbox(["attach", "--task", "t1", "--", "sh", "-c", "true"])
        .end()
        .expect(1)
        .says("has a `verify` command");
}

fn wait_for_the_command(desk: &Desk) {
    wait_until("the command runs", PATIENCE, || {
        processes(desk).iter().any(|(_, line)| line.starts_with("sleep 600"))
    });
}
