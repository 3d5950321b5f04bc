//! Files of a state directory that are removed, or left by another database, while callbox is used.

use std::fs;

use crate::support::{
    cli::Desk,
    processes::nothing_left,
    resident::Resident,
    wait::{SOON, wait_until},
};

#[test]
fn what_an_earlier_database_left_behind_is_never_taken_for_a_run_of_this_one() {
    let desk = Desk::new();
    let run = |steps: &str| {
        desk.callbox(["run", "-p", steps, "--agent", "scripted", "--no-project", "--json"]).end()
    };
    desk.callbox(["backup", "empty.db"]).end().expect(0);
    run("- summary: of another life").expect(0);
    for name in ["callbox.db", "callbox.db-wal", "callbox.db-shm"] {
        let _ = fs::remove_file(desk.state().join(name));
    }
    let _ = run("- exit: 5").expect(69).says("is damaged: it is gone");
    fs::copy(desk.path("home/empty.db"), desk.state().join("callbox.db")).unwrap();
    let report = run("- exit: 5").expect(1).json();
    assert_eq!((&report["task"]["number"], &report["task"]["state"]), (&"t2".into(), &"failed".into()));
    let shown = desk.callbox(["show", "t2", "--json"]).end().expect(0).json();
    assert_eq!(shown["executions"][0]["exit"]["code"], 5, "{shown}");
}

#[test]
fn a_resident_store_whose_files_are_removed_acknowledges_nothing_and_ends() {
    for file in ["callbox.db", "lock", "operator/store.sock", "agent/agent.sock"] {
        let desk = Desk::new();
        let store = Resident::start(&desk);
        fs::remove_file(desk.state().join(file)).unwrap();
        let _ = store.ends().expect(69).says(&format!("{file}` was removed or replaced"));
    }
}

#[test]
fn a_command_that_keeps_its_store_itself_ends_when_the_state_directory_is_removed() {
    let desk = Desk::new();
    let run = desk.callbox(["run", "--agent", "scripted", "--no-project", "-p", "- sleep: 1h"]).start();
    wait_until("the run is at work", SOON, || {
        desk.has_database() && desk.callbox(["ls", "--in", "running"]).end().stdout.contains("t1")
    });
    fs::remove_dir_all(desk.state()).unwrap();
    let _ = run.end().expect(69).says("the store that this command kept has stopped because ");
    assert!(!desk.state().join("callbox.db").exists(), "no other state directory was begun");
    nothing_left(&desk);
}
