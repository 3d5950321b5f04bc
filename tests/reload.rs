//! The configuration of a store that stays is read again on SIGHUP.

use std::{fs, io::Read as _, process::Command};

use rustix::process::Signal;

use crate::support::{
    cli::{CALLBOX, Desk},
    held_run::{HeldRuns, call_named},
    processes::{kill, kill_all},
    resident::Resident,
    service_manager::ServiceManager,
    wait::{SOON, wait_until},
};

const FILE: &str = "home/.config/callbox/config.toml";

/// A task that goes on until it is ended.
fn submit(desk: &Desk) {
    let submit = ["submit", "-p", "- sleep: 600s", "--agent", "scripted", "--no-project"];
    desk.callbox(submit).end().expect(0);
}

/// A store under `configuration` with one task that runs and one that waits for a slot, and its manager.
fn with_one_waiting(desk: &Desk, configuration: &str) -> (ServiceManager, Resident) {
    desk.write(FILE, configuration);
    let manager = ServiceManager::at_a_path(desk);
    let store = Resident::from(desk, manager.starts(desk.callbox(["serve"])).start());
    assert_eq!(manager.hears(), ["READY=1"]);
    submit(desk);
    wait_until("the first runs", SOON, || desk.standing("t1") == "running");
    submit(desk);
    assert_eq!(desk.standing("t2"), "queued");
    (manager, store)
}

/// The manager is told of the reload from its beginning to its end.
#[track_caller]
fn reloaded(manager: &ServiceManager) {
    let began = manager.hears();
    let [reloading, time] = &began[..] else { panic!("{began:?}") };
    assert_eq!(reloading, "RELOADING=1");
    let time: u64 = time.strip_prefix("MONOTONIC_USEC=").unwrap().parse().unwrap();
    // The kernel's clock since the boot, in microseconds, as in its first word of `uptime`.
    let uptime = fs::read_to_string("/proc/uptime").unwrap();
    let now: f64 = uptime.split(' ').next().unwrap().parse().unwrap();
    let since = now - f64::from(u32::try_from(time / 1_000_000).unwrap());
    assert!((-1.0..60.0).contains(&since), "{time} at {now}");
    assert_eq!(manager.hears(), ["READY=1"]);
}

#[test]
fn a_good_configuration_holds_for_all_that_begins_from_then_on() {
    let desk = Desk::new();
    let (manager, store) = with_one_waiting(&desk, "max_concurrent = 1\n");
    desk.write(FILE, "max_concurrent = 2\n");
    kill(store.pid(), Signal::HUP);
    reloaded(&manager);
    wait_until("the second runs too", SOON, || desk.standing("t2") == "running");
    kill(store.pid(), Signal::TERM);
    let _ = store.ends().expect(0).says("it holds for all that begins from now on");
    kill_all(&desk);
}

#[test]
fn a_wrong_configuration_is_refused_by_file_line_and_key_and_the_old_one_stays() {
    let desk = Desk::new();
    let (manager, store) = with_one_waiting(&desk, "max_concurrent = 1\n");
    desk.write(FILE, "max_concurrent = 3\nagnet = \"scripted\"\n");
    kill(store.pid(), Signal::HUP);
    reloaded(&manager);
    // Refused whole: the slots that the same file grants are not given.
    assert_eq!([standing(&desk, 1), standing(&desk, 2)], ["running", "queued"]);
    desk.write(FILE, "max_concurrent = 3\n");
    kill(store.pid(), Signal::HUP);
    reloaded(&manager);
    wait_until("the second runs too", SOON, || desk.standing("t2") == "running");
    kill(store.pid(), Signal::TERM);
    let fault = format!("{}:2: `agnet` is not known", desk.path(FILE).display());
    let _ = store.ends().expect(0).says(&fault).says("what held before holds on");
    kill_all(&desk);
}

#[test]
fn a_configuration_that_is_gone_is_said_to_be_none() {
    let desk = Desk::new();
    let (manager, store) = with_one_waiting(&desk, "max_concurrent = 1\n");
    fs::remove_file(desk.path(FILE)).unwrap();
    kill(store.pid(), Signal::HUP);
    reloaded(&manager);
    wait_until("the second runs too", SOON, || desk.standing("t2") == "running");
    kill(store.pid(), Signal::TERM);
    let said = format!("there is no configuration at `{}` now", desk.path(FILE).display());
    let _ = store.ends().expect(0).says(&said);
    kill_all(&desk);
}

/// As the store itself tells it: a command would read the wrong file too.
fn standing(desk: &Desk, task: u32) -> String {
    let good = desk.path("good");
    let show = ["show", &format!("t{task}"), "--json"].map(str::to_owned);
    let shown = desk.callbox(show).variable("XDG_CONFIG_HOME", good).end().expect(0).json();
    shown["task"]["state"].as_str().unwrap().to_owned()
}

#[test]
fn the_limits_of_agents_that_already_run_are_those_of_the_new_configuration() {
    let (runs, run) = HeldRuns::one();
    runs.desk.write(FILE, "[limits]\nsignals = 2\n");
    kill(runs.store(), Signal::HUP);
    let mut shim = runs.shim(&run.token);
    let progress = serde_json::json!({"message": "more"});
    let mut place = 0;
    wait_until("the new limit holds", SOON, || {
        place += 1;
        let (failed, text) = call_named(&mut shim, &format!("c{place}"), "record_progress", &progress);
        failed && text.contains('2')
    });
}

#[test]
fn an_agent_that_was_left_alone_is_tried_again() {
    let desk = Desk::new();
    let store = Resident::start(&desk);
    let submit = ["submit", "-p", "- auth\n- summary: x", "--agent", "scripted", "--no-project"];
    desk.callbox(submit).end().expect(0);
    wait_until("its login is refused", SOON, || {
        let listed = desk.callbox(["ls", "--json"]).end().expect(0).json();
        listed[0]["wait"].as_str().is_some_and(|wait| wait.starts_with("auth"))
    });
    kill(store.pid(), Signal::HUP);
    wait_until("it is tried again", SOON, || desk.standing("t1") == "completed");
    store.stop();
}

#[test]
fn a_store_that_still_waits_begins_with_the_configuration_it_was_told_of_last() {
    let desk = Desk::new();
    desk.write(FILE, "max_concurrent = 1\n");
    let first = Resident::start(&desk);
    let heir = desk.callbox(["serve", "--wait"]).start();
    // It hears signals before it waits.
    let caught = || {
        let status = fs::read_to_string(format!("/proc/{}/status", heir.pid())).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(mask.trim(), 16).unwrap() & 1 != 0
    };
    wait_until("it hears a hangup", SOON, caught);
    desk.write(FILE, "max_concurrent = 2\n");
    kill(heir.pid(), Signal::HUP);
    first.stop();
    let heir = Resident::from(&desk, heir);
    submit(&desk);
    submit(&desk);
    wait_until("both run", SOON, || ["t1", "t2"].iter().all(|task| desk.standing(task) == "running"));
    heir.kill();
    kill_all(&desk);
}

#[test]
fn a_lost_terminal_ends_no_store_and_hinders_none() {
    let desk = Desk::new();
    let mut command = Command::new(CALLBOX);
    command.args(["serve"]).env_clear().env("HOME", desk.path("home")).env("PATH", desk.path("bin"));
    command.env("RUST_LOG", "trace").stderr(std::process::Stdio::piped());
    let mut store = command.spawn().unwrap();
    let mut terminal = store.stderr.take().unwrap();
    terminal.read_exact(&mut [0; 1]).unwrap();
    drop(terminal);
    kill(store.id(), Signal::HUP);
    wait_until("the store answers", SOON, || desk.state().join("operator/store.sock").exists());
    let run = ["run", "--json", "-p", "- print: x", "--agent", "scripted", "--no-project"];
    let report = desk.callbox(run).end().expect(0).json();
    assert_eq!(report["totals"]["executions"], 1);
    kill(store.id(), Signal::TERM);
    assert_eq!(store.wait().unwrap().code(), Some(0));
}
