//! A store that stays: it runs what is queued, and commands speak to it.

use rustix::process::Signal;

use crate::support::{
    cli::{Desk, Running},
    processes::kill,
    resident::Resident,
    wait::{SOON, wait_until},
};

#[test]
fn what_is_submitted_to_a_resident_store_runs_by_itself() {
    let desk = Desk::new();
    let store = Resident::start(&desk);
    let submit = ["submit", "-p", "- summary: {summary: x}", "--agent", "scripted", "--no-project"];
    let ended = desk.callbox(submit).end().expect(0);
    assert!(!ended.stderr.contains("no store stays"), "{ended}");
    let completed = || desk.callbox(["ls", "--in", "completed"]).end().stdout.contains("t1");
    wait_until("the task is completed", SOON, completed);
    let followed = ["run", "-p", "- summary: {summary: y}", "--agent", "scripted", "--no-project"];
    let _ = desk.callbox(followed).end().expect(0).says("t2 completed");
    store.stop();
}

#[test]
fn a_second_store_is_refused_and_told_the_holder() {
    let desk = Desk::new();
    let store = Resident::start(&desk);
    desk.callbox(["serve"]).end().expect(69).says(&store.pid().to_string()).says("--wait");
    store.stop();
}

#[test]
fn a_store_that_waits_takes_over_and_can_be_stopped_while_it_waits() {
    let desk = Desk::new();
    let first = Resident::start(&desk);
    let heir = desk.callbox(["serve", "--wait"]).start();
    let waiting = desk.callbox(["serve", "--wait"]).start();
    kill(waiting.pid(), Signal::TERM);
    waiting.end();
    first.stop();
    Resident::from(&desk, heir).stop();
}

#[test]
fn commands_that_host_a_store_for_an_instant_hinder_nobody() {
    let desk = Desk::new();
    desk.callbox(["ls"]).end().expect(0);
    for _ in 0..3 {
        let passing: Vec<Running> =
            (0..8).map(|place| desk.callbox([["ls"], ["questions"]][place % 2]).start()).collect();
        let store = desk.callbox(["serve"]).start();
        for running in passing {
            running.end().expect(0);
        }
        Resident::from(&desk, store).stop();
    }
}

#[test]
fn whoever_follows_a_run_takes_over_from_a_store_that_ends() {
    for end in [Resident::kill, Resident::stop] {
        let desk = Desk::new();
        let store = Resident::start(&desk);
        let steps = "- print: at work\n- sleep: 2s\n- summary: {summary: done}";
        let run = ["run", "--json", "-p", steps, "--agent", "scripted", "--no-project"];
        let running = desk.callbox(run).start();
        let works = || desk.callbox(["logs", "t1"]).end().stdout.contains("at work");
        wait_until("the agent works", SOON, works);
        end(store);
        let report = running.end().expect(0).json();
        assert_eq!((&report["task"]["state"], &report["summary"]), (&"completed".into(), &"done".into()));
        assert_eq!(report["totals"]["executions"], 1, "{report}");
    }
}

#[test]
fn the_doctor_finds_nothing_wrong_with_a_good_installation() {
    let desk = Desk::new();
    let ended = desk.callbox(["doctor"]).end().expect(0);
    for finding in ["ok    store", "ok    sockets", "ok    git", "ok    shim", "ok    scripted"] {
        assert!(ended.stdout.contains(finding), "no {finding:?} in\n{ended}");
    }
}
