//! A store that stays: it runs what is queued, and commands speak to it.

use std::process::Command;

use crate::support::{
    cli::{Desk, Running},
    wait::{SOON, wait_until},
};

fn serve(desk: &Desk) -> Running {
    let running = desk.callbox(["serve"]).start();
    wait_until("the store answers", SOON, || {
        desk.state().join("operator/store.sock").exists()
            && desk.callbox(["doctor"]).end().stdout.contains("held by `callbox serve`")
    });
    running
}

fn stop(running: Running) {
    assert!(Command::new("kill").arg(running.pid().to_string()).status().unwrap().success());
    let _ = running.end().expect(0).says("is ready");
}

#[test]
fn what_is_submitted_to_a_resident_store_runs_by_itself() {
    let desk = Desk::new();
    let store = serve(&desk);
    let submit = ["submit", "-p", "- summary: {summary: x}", "--agent", "scripted", "--no-project"];
    let ended = desk.callbox(submit).end().expect(0);
    assert!(!ended.stderr.contains("no store stays"), "{ended}");
    let completed = || desk.callbox(["ls", "--in", "completed"]).end().stdout.contains("t1");
    wait_until("the task is completed", SOON, completed);
    let followed = ["run", "-p", "- summary: {summary: y}", "--agent", "scripted", "--no-project"];
    let _ = desk.callbox(followed).end().expect(0).says("t2 completed");
    stop(store);
}

#[test]
fn a_second_store_is_refused_and_told_the_holder() {
    let desk = Desk::new();
    let store = serve(&desk);
    desk.callbox(["serve"]).end().expect(69).says(&store.pid().to_string()).says("--wait");
    stop(store);
}

#[test]
fn the_doctor_finds_nothing_wrong_with_a_good_installation() {
    let desk = Desk::new();
    let ended = desk.callbox(["doctor"]).end().expect(0);
    for finding in ["ok    store", "ok    sockets", "ok    git", "ok    shim", "ok    scripted"] {
        assert!(ended.stdout.contains(finding), "no {finding:?} in\n{ended}");
    }
}
