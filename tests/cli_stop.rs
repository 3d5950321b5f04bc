//! Ending a run from outside: signals, detaching, cancelling, and a store that goes away.

use rustix::process::Signal;

use crate::support::{
    cli::{Desk, Running},
    processes::kill,
    wait::{SOON, wait_until},
};

const HANGS: &str = "- print: at work\n- sleep: 60s";

/// Starts a run and waits until its agent works.
fn start(desk: &Desk, steps: &str) -> Running {
    let running = desk.callbox(["run", "-p", steps, "--agent", "scripted", "--no-project"]).start();
    wait_until("the agent works", SOON, || {
        desk.has_database() && desk.callbox(["logs", "t1"]).end().stdout.contains("at work")
    });
    running
}

#[test]
fn ctrl_c_cancels_the_run_and_waits_for_its_end() {
    for signal in [Signal::INT, Signal::TERM] {
        let desk = Desk::new();
        let running = start(&desk, HANGS);
        kill(running.pid(), signal);
        let ended = running.end().expect(7).says("cancelling t1; once more kills");
        assert!(ended.stdout.contains("cancelled"), "{ended}");
    }
}

#[test]
fn a_second_ctrl_c_kills_what_would_not_end() {
    let desk = Desk::new();
    let running = start(&desk, "- print: at work\n- hang");
    kill(running.pid(), Signal::INT);
    wait_until("the cancel is recorded", SOON, || {
        desk.callbox(["why", "t1"]).end().stdout.contains("a person cancelled it")
    });
    kill(running.pid(), Signal::INT);
    let _ = running.end().expect(7).says("killing t1");
}

#[test]
fn a_lost_terminal_ends_no_run() {
    let desk = Desk::new();
    let running = start(&desk, "- print: at work\n- sleep: 1s\n- summary: {summary: done}");
    kill(running.pid(), Signal::HUP);
    let _ = running.end().expect(0).says("the terminal is gone; t1 goes on without it");
}

#[test]
fn a_detached_run_goes_on_behind_its_command() {
    let desk = Desk::new();
    let steps = "- sleep: 300ms\n- summary: {summary: done}";
    let arguments = ["run", "--detach", "-p", steps, "--agent", "scripted", "--no-project"];
    let ended = desk.callbox(arguments).end().expect(0).says("left running in the background");
    assert_eq!(ended.stdout, "t1\n");
    wait_until("the run is completed", SOON, || desk.standing("t1") == "completed");
}

#[test]
fn a_cancel_from_elsewhere_ends_the_run_it_was_given_to() {
    let desk = Desk::new();
    let running = start(&desk, HANGS);
    let _ = desk.callbox(["cancel", "t1"]).end().expect(0);
    let _ = running.end().expect(7);
    desk.callbox(["cancel", "t9"]).end().expect(1).says("error: ");
}

#[test]
fn held_tasks_wait_for_start() {
    let desk = Desk::new();
    let held = ["submit", "--hold", "-p", "- print: x", "--agent", "scripted", "--no-project"];
    assert_eq!(desk.callbox(held).end().expect(0).stdout, "t1\n");
    desk.callbox(["run", "--queued"]).end().expect(0).says("nothing waits");
    desk.callbox(["resume", "t1"]).end().expect(1).says("t1 is held back");
    let _ = desk.callbox(["start", "t1"]).end().expect(0).says("callbox resume t1 --run");
    let _ = desk.callbox(["run", "--queued"]).end().expect(0);
    assert_eq!(desk.standing("t1"), "completed");
}

#[test]
fn what_is_refused_alone_prints_no_json_and_of_several_a_list_of_what_was_done() {
    let desk = Desk::new();
    for command in ["start", "cancel", "end", "accept"] {
        let refused = desk.callbox([command, "t9", "--json"]).end().expect(1);
        assert_eq!(refused.stdout, "", "{command}: {refused}");
        let _ = refused.says("there is no `t9`");
    }
    let held = ["submit", "--hold", "-p", "- print: x", "--agent", "scripted", "--no-project"];
    desk.callbox(held).end().expect(0);
    let some = desk.callbox(["cancel", "t1", "t9", "--json"]).end().expect(1).json();
    assert_eq!((some.as_array().map(Vec::len), &some[0]["task"]), (Some(1), &"t1".into()), "{some}");
    let none = desk.callbox(["start", "t8", "t9", "--json"]).end().expect(1).json();
    assert_eq!(none, serde_json::json!([]));
}
