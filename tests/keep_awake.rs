//! `serve --keep-awake` holds the machine awake from the first run to the last.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
};

use rustix::process::Signal;

use crate::support::{
    cli::Desk,
    processes::{kill, kill_all, processes},
    resident::Resident,
    wait::{SOON, wait_for_words, wait_until},
};

/// A `systemd-inhibit` that notes what it is asked and how long it holds, in the file whose path is returned.
fn inhibitor(desk: &Desk, script: &str) -> PathBuf {
    let log = desk.path("inhibited");
    let text = format!("#!/bin/sh\necho \"begun $*\" >> '{}'\n{script}", log.display());
    let program = desk.write("bin/systemd-inhibit", &text);
    fs::set_permissions(program, Permissions::from_mode(0o755)).unwrap();
    log
}

/// Runs the command behind the flags, as the real one does.
fn good_inhibitor(desk: &Desk) -> PathBuf {
    let log = desk.path("inhibited");
    let script = format!(
        "while [ \"${{1#--}}\" != \"$1\" ]; do shift; done\n\"$@\"\necho ended >> '{}'\n",
        log.display()
    );
    inhibitor(desk, &script)
}

fn submit(desk: &Desk, steps: &str) {
    desk.callbox(["submit", "-p", steps, "--agent", "scripted", "--no-project"]).end().expect(0);
}

fn keeping_awake(desk: &Desk) -> Resident {
    Resident::from(desk, desk.callbox(["serve", "--keep-awake"]).start())
}

#[test]
fn sleep_is_held_off_from_the_first_run_to_the_last_and_no_longer() {
    let desk = Desk::new();
    let log = good_inhibitor(&desk);
    let store = keeping_awake(&desk);
    assert!(!log.exists());
    for _ in 0..2 {
        submit(&desk, "- sleep: 600s");
    }
    wait_for_words(&log, "begun --what=idle:sleep --mode=block");
    desk.callbox(["cancel", "t1"]).end().expect(0);
    wait_until("the first has ended", SOON, || desk.standing("t1") == "cancelled");
    wait_until("the second runs", SOON, || desk.standing("t2") == "running");
    assert!(!fs::read_to_string(&log).unwrap().contains("ended"));
    desk.callbox(["cancel", "t2"]).end().expect(0);
    wait_for_words(&log, "ended");
    submit(&desk, "- summary: {summary: x}");
    wait_until("it is held anew", SOON, || fs::read_to_string(&log).unwrap().matches("ended").count() == 2);
    assert_eq!(fs::read_to_string(&log).unwrap().matches("begun").count(), 2);
    store.stop();
}

#[test]
fn nothing_holds_the_machine_awake_behind_a_store_that_ended() {
    for end in [Resident::kill, Resident::stop] {
        let desk = Desk::new();
        let log = good_inhibitor(&desk);
        let store = keeping_awake(&desk);
        submit(&desk, "- sleep: 600s");
        wait_for_words(&log, "begun");
        end(store);
        wait_for_words(&log, "ended");
        let inhibits = |(_, line): &(u32, String)| line.contains("systemd-inhibit");
        wait_until("it is gone", SOON, || !processes(&desk).iter().any(inhibits));
        assert!(processes(&desk).iter().any(|(_, line)| line.contains("supervise")), "the run goes on");
        kill_all(&desk);
    }
}

#[test]
fn without_the_program_or_its_lock_runs_go_on_and_the_reason_is_said() {
    let desk = Desk::new();
    let store = keeping_awake(&desk);
    submit(&desk, "- summary: {summary: x}");
    wait_until("the task is completed", SOON, || desk.standing("t1") == "completed");
    kill(store.pid(), Signal::TERM);
    let _ = store.ends().expect(0).says("`systemd-inhibit` is not installed");
    inhibitor(&desk, "echo 'Failed to inhibit: Access denied' >&2\nexit 1\n");
    let store = keeping_awake(&desk);
    submit(&desk, "- sleep: 1s\n- summary: {summary: x}");
    wait_until("the task is completed", SOON, || desk.standing("t2") == "completed");
    kill(store.pid(), Signal::TERM);
    let ended = store.ends().expect(0).says("Access denied");
    assert_eq!(ended.stderr.matches("Access denied").count(), 1, "{ended}");
}

#[test]
fn only_who_asked_for_it_is_kept_awake() {
    let desk = Desk::new();
    let log = good_inhibitor(&desk);
    let store = Resident::start(&desk);
    submit(&desk, "- summary: {summary: x}");
    wait_until("the task is completed", SOON, || desk.standing("t1") == "completed");
    store.stop();
    assert!(!log.exists());
}
