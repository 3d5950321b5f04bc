//! A database that was damaged, and the way back by exactly the commands that the refusal names.

use std::{
    fs,
    os::unix::fs::{FileExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    process::Command,
};

use crate::support::{
    cli::{Desk, Ended},
    repository::Repository,
    resident::Resident,
    wait::{SOON, wait_until},
};

fn run(desk: &Desk, project: &Repository, steps: &str) -> Ended {
    let root = project.root().display().to_string();
    desk.callbox(["run", "-C", &root, "--agent", "scripted", "--name", "work", "-p", steps]).end()
}

/// The automatic copies, the newest first.
fn copies(desk: &Desk) -> Vec<PathBuf> {
    let entries = fs::read_dir(desk.state().join("backups")).into_iter().flatten().flatten();
    let mut all: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "db"))
        .collect();
    all.sort();
    all.reverse();
    all
}

/// A desk with a task that asks, a copy by a store that stayed, and a task behind it.
fn desk(project: &Repository) -> Desk {
    let desk = Desk::new();
    run(&desk, project, "- write: {path: a.txt, text: a}\n- ask: {question: Which?}\n- summary: '{answer}'")
        .expect(3);
    assert_eq!(copies(&desk).len(), 0, "only a store that stays makes copies");
    let store = Resident::start(&desk);
    wait_until("a copy is made", SOON, || copies(&desk).len() == 1);
    store.stop();
    run(&desk, project, "- write: {path: b.txt, text: b}").expect(0);
    desk
}

/// Carries out what stands in the first pair of backquotes of the hint.
fn obey(refused: &Ended) {
    let (_, hint) = refused.stderr.split_once("hint: `").unwrap_or_else(|| panic!("{refused}"));
    let (commands, _) = hint.split_once('`').unwrap();
    let done = Command::new("sh").args(["-c", commands]).output().unwrap();
    assert!(done.status.success(), "{commands}: {done:?}");
}

fn overwrite(file: &Path, place: usize, length: usize) {
    let mut bytes = fs::read(file).unwrap();
    bytes[place..place + length].fill(0xa5);
    fs::write(file, bytes).unwrap();
}

type Damage = fn(&Path);

#[test]
fn whatever_happened_to_the_file_the_refusal_names_commands_that_bring_the_newest_copy_back() {
    let damages: [(&str, Damage); 6] = [
        ("its first bytes", |file| overwrite(file, 0, 64)),
        ("its header", |file| overwrite(file, 16, 84)),
        ("a page in the middle", |file| {
            let middle = fs::read(file).unwrap().len() / 4096 / 2 * 4096;
            overwrite(file, middle, 4096);
        }),
        ("its end", |file| {
            let half = fs::metadata(file).unwrap().len() / 4096 / 2 * 4096;
            fs::OpenOptions::new().write(true).open(file).unwrap().set_len(half).unwrap();
        }),
        ("all of it", |file| fs::write(file, "").unwrap()),
        ("the file itself", |file| fs::remove_file(file).unwrap()),
    ];
    for (what, damage) in damages {
        let project = Repository::new();
        let desk = desk(&project);
        let file = desk.state().join("callbox.db");
        damage(&file);
        // What a log holds belongs to the damaged file.
        fs::write(desk.state().join("callbox.db-wal"), [0x5a; 8192]).unwrap();
        let before = fs::read(&file).ok();
        let refused = desk.callbox(["ls"]).end().expect(69);
        assert_eq!(fs::read(&file).ok(), before, "{what}: nothing is touched");
        obey(&refused);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600, "{what}");
        assert_eq!(desk.standing("t1"), "blocked", "{what}");
        desk.callbox(["show", "t2"]).end().expect(1);
        // Numbers under which anything stands are not given again.
        desk.callbox(["answer", "q1", "red", "--run"]).end().expect(0);
        run(&desk, &project, "- write: {path: c.txt, text: c}").expect(0);
        assert_eq!(desk.standing("t3"), "completed", "{what}");
        let branches = project.git(["branch", "--list", "callbox/*"]);
        assert!(branches.contains("callbox/t3-work"), "{what}: {branches}");
        assert!(desk.state().join("executions/4").is_dir() && !desk.state().join("executions/5").exists());
    }
}

#[test]
fn a_fresh_start_behind_an_older_copy_works_in_a_sandbox_that_nobody_had() {
    let project = Repository::new();
    let desk = desk(&project);
    let fresh = || {
        desk.callbox(["cancel", "t1"]).end().expect(0);
        desk.callbox(["retry", "t1", "--fresh", "--run"]).end().expect(3)
    };
    let _ = fresh();
    overwrite(&desk.state().join("callbox.db"), 0, 64);
    obey(&desk.callbox(["ls"]).end().expect(69));
    let _ = fresh();
    assert!(desk.state().join("sandboxes/1/3").is_dir());
    // What was asked behind the copy, and told, is nobody's question any more.
    let asked = desk.callbox(["questions", "--json"]).end().expect(0).json();
    assert_eq!(asked[0]["number"], "q1002", "{asked}");
}

#[test]
fn copies_that_were_broken_off_are_cleared_away_by_the_next() {
    let desk = Desk::new();
    desk.callbox(["ls"]).end().expect(0);
    let name = "callbox-20260101T000000.db.01a22df1-bd9b-701a-adc0-000000000001.partial";
    let partial = desk.write(&format!("home/.local/state/callbox/backups/{name}"), "half");
    let other = desk.write("home/.local/state/callbox/backups/own.partial", "mine");
    let store = Resident::start(&desk);
    wait_until("a copy is made", SOON, || copies(&desk).len() == 1);
    store.stop();
    assert!(!partial.exists() && other.exists());
}

#[test]
fn a_log_of_garbage_is_no_damage() {
    let project = Repository::new();
    let desk = desk(&project);
    fs::write(desk.state().join("callbox.db-wal"), vec![0x5a; 40_000]).unwrap();
    assert_eq!((desk.standing("t1"), desk.standing("t2")), ("blocked".to_owned(), "completed".to_owned()));
}

#[test]
fn a_copy_is_the_owners_alone_is_checked_and_none_that_is_damaged_is_named() {
    let project = Repository::new();
    let desk = desk(&project);
    let [copy] = &copies(&desk)[..] else { panic!("one copy") };
    assert_eq!(fs::metadata(copy).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(copy.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    // The next one is due in hours.
    let store = Resident::start(&desk);
    desk.callbox(["ls"]).end().expect(0);
    store.stop();
    assert_eq!(copies(&desk).len(), 1);
    let older = copy.with_file_name("callbox-20200101T000000.db");
    fs::copy(copy, &older).unwrap();
    overwrite(copy, 4096, 4096);
    overwrite(&desk.state().join("callbox.db"), 0, 64);
    let refused = desk.callbox(["ls"]).end().expect(69).says("the copy of 2020-01-01T00:00:00");
    obey(&refused);
    assert_eq!(desk.standing("t1"), "blocked");
    overwrite(&desk.state().join("callbox.db"), 0, 64);
    overwrite(&older, 4096, 4096);
    let _ = desk.callbox(["ls"]).end().expect(69).says("no copy in").says("is whole");
}

#[test]
fn a_store_that_stays_ends_once_its_database_is_damaged_and_the_next_command_names_the_way_back() {
    let project = Repository::new();
    let desk = desk(&project);
    let store = Resident::start(&desk);
    let file = desk.state().join("callbox.db");
    let pages = fs::read(&file).unwrap().len() / 4096;
    let damaged = fs::OpenOptions::new().write(true).open(&file).unwrap();
    // Every page but the first, in the file that the store has open.
    damaged.write_all_at(&vec![0xa5; (pages - 1) * 4096], 4096).unwrap();
    desk.callbox(["show", "t1"]).end();
    let _ = store.ends().expect(69).says("its database is damaged");
    obey(&desk.callbox(["ls"]).end().expect(69));
    assert_eq!(desk.standing("t1"), "blocked");
}
