//! Many commands at once where there is no state directory yet: they make one store, and each does its own once.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use callbox::store::{Locked, prepare};

use crate::support::{
    cli::{Desk, Running},
    resident::Resident,
    wait::{SOON, wait_until},
};

/// As long as so many programs may take beside whatever else is tested.
const LONG: Duration = Duration::from_secs(180);
const MANY: usize = 20;

fn submit(desk: &Desk) -> Running {
    desk.callbox(["submit", "-p", "- summary: {summary: x}", "--agent", "scripted", "--no-project"]).start()
}

/// Every database below `folder`.
fn databases(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let found = entries.flat_map(|entry| match entry.file_type().unwrap() {
        kind if kind.is_dir() => databases(&entry.path()),
        _ if entry.file_name() == "callbox.db" => vec![entry.path()],
        _ => Vec::new(),
    });
    found.collect()
}

/// How many stores have opened the state directory so far.
fn generation(desk: &Desk) -> u64 {
    let text = fs::read_to_string(desk.state().join("lock")).unwrap();
    let holder: serde_json::Value = serde_json::from_str(&text).unwrap();
    holder["generation"].as_u64().unwrap()
}

/// Each of them ended well and queued one task of its own, all in one database.
#[track_caller]
fn queued_once(desk: &Desk, submitted: Vec<Running>) {
    let ended = submitted.into_iter().map(|running| running.end_within(LONG).expect(0));
    let numbers: BTreeSet<String> = ended.map(|ended| ended.stdout.trim().to_owned()).collect();
    let wanted: BTreeSet<String> = (1..=MANY).map(|number| format!("t{number}")).collect();
    assert_eq!(numbers, wanted);
    assert_eq!(databases(&desk.path("")), [desk.state().join("callbox.db")]);
}

#[test]
fn commands_that_begin_together_make_one_store() {
    let desk = Desk::new();
    queued_once(&desk, (0..MANY).map(|_| submit(&desk)).collect());
    let stores = generation(&desk);
    assert!((1..=MANY as u64).contains(&stores), "{stores} stores of {MANY} commands");
    let listed = desk.callbox(["ls", "--json"]).end().expect(0).json();
    assert_eq!(listed.as_array().unwrap().len(), MANY);
}

#[test]
fn a_command_waits_for_as_many_stores_as_come_and_go_before_it() {
    let desk = Desk::new();
    let state = prepare(&desk.state()).unwrap();
    let locked = Locked::take(&state).unwrap();
    let (begun, waiting) = (Instant::now(), submit(&desk));
    let mut stores = 0;
    wait_until("one would have been waited for in vain", SOON, || {
        stores += 1;
        locked.announce(stores).unwrap();
        begun.elapsed() > Duration::from_secs(11)
    });
    drop(locked);
    waiting.end_within(LONG).expect(0);
}

#[test]
fn a_store_that_stays_may_begin_among_them_and_runs_what_they_queue() {
    let desk = Desk::new();
    let mut submitted: Vec<Running> = (0..MANY / 2).map(|_| submit(&desk)).collect();
    let store = desk.callbox(["serve", "--wait"]).start();
    submitted.extend((0..MANY / 2).map(|_| submit(&desk)));
    queued_once(&desk, submitted);
    let store = Resident::from(&desk, store);
    let stores = generation(&desk);
    assert!((1..=MANY as u64 + 1).contains(&stores), "{stores} stores of {MANY} commands");
    let done = || desk.callbox(["ls", "--in", "completed", "--json"]).end().expect(0).json();
    wait_until("all of them are completed", LONG, || done().as_array().unwrap().len() == MANY);
    for task in 1..=MANY {
        let shown = desk.callbox(["show", &format!("t{task}"), "--json"]).end().expect(0).json();
        assert_eq!(shown["totals"]["executions"], 1, "{shown}");
    }
    store.stop();
}

#[test]
fn runs_that_begin_together_run_each_task_once() {
    let desk = Desk::new();
    let runs: Vec<Running> = (0..10)
        .map(|place| {
            let steps = format!("- summary: {{summary: its own {place}}}");
            let run = ["run", "--json", "-p", &steps, "--agent", "scripted", "--no-project"];
            desk.callbox(run).start()
        })
        .collect();
    let mut tasks = BTreeSet::new();
    for (place, running) in runs.into_iter().enumerate() {
        let report = running.end_within(LONG).expect(0).json();
        assert_eq!(report["summary"], format!("its own {place}"), "{report}");
        assert_eq!(report["totals"]["executions"], 1, "{report}");
        tasks.insert(report["task"]["number"].as_str().unwrap().to_owned());
    }
    assert_eq!(tasks.len(), 10);
    wait_until("no supervisor is left", SOON, || crate::support::processes::processes(&desk).is_empty());
}
