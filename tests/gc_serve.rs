//! A store that stays has what ended tasks left removed by itself, unless that was switched off.

use std::fs;

use rustix::process::Signal;

use crate::support::{
    cli::Desk,
    leftovers::{run, standing},
    processes::{kill, nothing_left},
    repository::Repository,
    resident::Resident,
    wait::{SOON, wait_until},
};

const WRITES: &str = "- write: {path: a.txt, text: one}\n- summary: written";

fn configure(desk: &Desk, gc: &str) {
    desk.write("home/.config/callbox/config.toml", &format!("[gc]\nkeep = '1s'\n{gc}\n"));
}

#[test]
fn a_store_that_stays_removes_what_is_old_enough_again_and_again_and_says_so_in_its_log() {
    let (desk, project) = (Desk::new(), Repository::new());
    configure(&desk, "every = '1s'");
    let store = Resident::start(&desk);
    for task in [1, 2] {
        run(&desk, &project, WRITES, &[]).expect(0);
        wait_until("its sandbox is gone", SOON, || standing(&desk, task).is_empty());
        assert_eq!(desk.standing(&format!("t{task}")), "completed");
    }
    let log = desk.state().join("gc.log");
    let logged = || fs::read_to_string(&log).unwrap_or_default();
    wait_until("it is logged", SOON, || logged().contains("\nt1 ") && logged().contains("\nt2 "));
    store.stop();
    nothing_left(&desk);
}

#[test]
fn nothing_goes_by_itself_where_that_was_switched_off() {
    let (desk, project) = (Desk::new(), Repository::new());
    configure(&desk, "every = 'never'");
    run(&desk, &project, WRITES, &[]).expect(0);
    let store = Resident::start(&desk);
    // It is old enough, and the store has looked whether anything is to be done.
    wait_until("it would go", SOON, || {
        let seen = desk.callbox(["gc", "--dry-run", "--json"]).end().expect(0).json();
        !seen["removed"].as_array().unwrap().is_empty()
    });
    store.stop();
    assert!(standing(&desk, 1).contains(&"1".to_owned()) && !desk.state().join("gc.log").exists());
}

#[test]
fn a_shorter_pause_holds_from_the_reload_on() {
    for before in ["never", "6h"] {
        let (desk, project) = (Desk::new(), Repository::new());
        configure(&desk, &format!("every = '{before}'"));
        let store = Resident::start(&desk);
        run(&desk, &project, WRITES, &[]).expect(0);
        configure(&desk, "every = '1s'");
        kill(store.pid(), Signal::HUP);
        wait_until("its sandbox is gone", SOON, || standing(&desk, 1).is_empty());
        store.stop();
    }
}
