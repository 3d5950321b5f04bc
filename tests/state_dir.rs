//! State directories of every kind: deep, closed, of another time, in other hands. Those that cannot be
//! used are refused with a sentence and a hint, and stay as they were.

use std::{
    collections::BTreeMap,
    fs::{self, File, Permissions},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::Instant,
};

use rusqlite::Connection;
use rustix::process::Signal;

use crate::support::{
    cli::{Desk, Ended},
    processes::{kill, nothing_left, stop},
    repository::Repository,
    resident::Resident,
    wait::SOON,
};

const ASKS: &str = "- ask: Which?\n- summary: '{answer}'";

/// Refused as not to be had: a sentence, a hint, and nothing on stdout.
#[track_caller]
fn refused(ended: Ended, sentence: &str) {
    let ended = ended.expect(69).says("error: ").says(sentence).says("\nhint: ");
    assert_eq!(ended.stdout, "", "{ended}");
}

/// `callbox` about this state directory.
fn about(desk: &Desk, state: &Path, words: &[&str]) -> crate::support::cli::Call {
    desk.callbox([words, &["--state", state.to_str().unwrap()]].concat())
}

/// Runs a task that asks.
fn ask(desk: &Desk, state: &Path) -> Ended {
    about(desk, state, &["run", "-p", ASKS, "--agent", "scripted", "--no-project"]).end()
}

/// A folder of `desk` whose path has at least so many bytes.
fn deep(desk: &Desk, length: usize) -> PathBuf {
    let mut path = desk.path("home");
    while path.as_os_str().len() < length {
        path.push("a rather long name of a folder");
    }
    path
}

/// Every file below `folder` with a digest of its bytes, but the one that says who looked last.
fn contents(folder: &Path) -> BTreeMap<PathBuf, u64> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() {
            found.extend(contents(&path));
        } else if kind.is_file() && entry.file_name() != "lock" {
            let mut digest = DefaultHasher::new();
            fs::read(&path).unwrap().hash(&mut digest);
            found.insert(path, digest.finish());
        }
    }
    found
}

#[test]
fn one_deeper_than_a_sockets_path_may_be_plays_the_whole_main_job() {
    let (desk, project) = (Desk::new(), Repository::on_branch("trunk"));
    let state = deep(&desk, 300);
    let steps = r#"- progress: {message: looking, percent: 10}
- subtask: {name: side, instructions: "- write: {path: side.txt, text: side}\n- summary: side done"}
- ask: {question: Which colour?, options: [red, blue]}
- write: {path: colour.txt, text: "{answer}"}
- commit: paint it {answer}
- summary: painted {answer}
"#;
    let run = ["run", "-p", steps, "--agent", "scripted", "--name", "colours", "--json"];
    let asked = about(&desk, &state, &run).within(project.root()).end().expect(3).json();
    assert_eq!(
        (&asked["task"]["state"], &asked["subtasks"][0]["state"]),
        (&"blocked".into(), &"completed".into())
    );
    let answer = ["answer", "q1", "--option", "2", "--run", "--json"];
    let answered = about(&desk, &state, &answer).end().expect(0).json();
    assert_eq!(
        (&answered["task"]["state"], &answered["summary"]),
        (&"completed".into(), &"painted blue".into())
    );
    assert_eq!(project.git(["show", "callbox/t1-colours:colour.txt"]), "blue");
    assert_eq!(project.git(["show", "callbox/t2-side:side.txt"]), "side");
    let shown = about(&desk, &state, &["show", "t1", "--json"]).end().expect(0).json();
    assert_eq!(shown["executions"][0]["session_id"], shown["executions"][1]["session_id"]);
    assert!(state.join("callbox.db").exists() && !desk.has_database());
    nothing_left(&desk);
}

#[test]
fn one_deeper_than_the_database_may_be_is_refused_before_there_is_any() {
    let desk = Desk::new();
    let state = deep(&desk, 500);
    refused(ask(&desk, &state), "SQLite takes at most");
    assert!(!state.join("callbox.db").exists());
    refused(ask(&desk, &desk.path("x".repeat(300))), "could not be made ready");
    refused(ask(&desk, &deep(&desk, 5_000)), "could not be made ready");
}

#[test]
fn one_that_cannot_be_written_is_named_and_left_alone() {
    let (desk, project) = (Desk::new(), Repository::new());
    let state = desk.state();
    ask(&desk, &state).expect(3);
    let before = contents(&state);
    fs::set_permissions(&state, Permissions::from_mode(0o500)).unwrap();
    let run = ["run", "-p", "- summary: x", "--agent", "scripted"];
    let commands: [&[&str]; 5] = [&["ls"], &["show", "t1"], &["answer", "q1", "red"], &["serve"], &run];
    for words in commands {
        let call = about(&desk, &state, words).within(project.root());
        let Some(call) = call.without_privileges() else { return };
        refused(call.end(), "is read-only");
    }
    fs::set_permissions(&state, Permissions::from_mode(0o700)).unwrap();
    assert_eq!(contents(&state), before);
    assert_eq!(project.git(["branch", "--list", "callbox/*"]), "");

    fs::set_permissions(state.join("callbox.db"), Permissions::from_mode(0o400)).unwrap();
    let call = about(&desk, &state, &["ls"]).without_privileges().unwrap();
    refused(call.end(), "cannot be written");
    fs::set_permissions(state.join("callbox.db"), Permissions::from_mode(0o600)).unwrap();
    let database = state.join("callbox.db");
    assert_eq!(contents(&state)[&database], before[&database]);
    about(&desk, &state, &["answer", "q1", "red", "--run"]).end().expect(0);
}

#[test]
fn one_that_cannot_be_made_is_named() {
    let desk = Desk::new();
    let closed = desk.path("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, Permissions::from_mode(0o500)).unwrap();
    let state = closed.join("state");
    let Some(call) = about(&desk, &state, &["ls"]).without_privileges() else { return };
    refused(call.end(), "is read-only");
    assert_eq!(fs::read_dir(&closed).unwrap().count(), 0);
}

#[test]
fn one_of_a_newer_callbox_is_refused_and_not_a_bit_of_it_is_changed() {
    let desk = Desk::new();
    let state = desk.state();
    ask(&desk, &state).expect(3);
    let database = Connection::open(state.join("callbox.db")).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    database.close().unwrap();
    let before = contents(&state);
    let run = ["run", "-p", "- summary: x", "--agent", "scripted", "--no-project"];
    let commands: [&[&str]; 5] = [&["ls"], &["show", "t1"], &["answer", "q1", "red"], &["serve"], &run];
    for words in commands {
        let ended = about(&desk, &state, words).end().says("use the newer callbox");
        refused(ended, "has schema version 99");
    }
    assert_eq!(contents(&state), before);
}

#[test]
fn one_in_other_hands_is_refused_until_it_is_let_go() {
    let desk = Desk::new();
    let state = desk.state();
    ask(&desk, &state).expect(3);
    let before = contents(&state);
    let lock = File::options().write(true).open(state.join("lock")).unwrap();
    lock.lock().unwrap();
    let looking = about(&desk, &state, &["ls"]).start();
    let serve = about(&desk, &state, &["serve"]).end().says("--wait");
    refused(serve, "holds the state directory");
    refused(looking.end(), "does not answer");
    assert_eq!(contents(&state), before);
    drop(lock);
    about(&desk, &state, &["answer", "q1", "red", "--run"]).end().expect(0);
}

#[test]
fn one_whose_store_hangs_is_not_waited_for_for_ever_and_its_process_is_named() {
    let desk = Desk::new();
    let state = desk.state();
    let store = Resident::start(&desk);
    stop(store.pid());
    let begun = Instant::now();
    let ended =
        about(&desk, &state, &["ls"]).end().says(&format!("error: process {} (callbox ", store.pid()));
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    refused(ended, "and does not answer");
    kill(store.pid(), Signal::CONT);
    about(&desk, &state, &["ls"]).end().expect(0);
    store.stop();
}

#[test]
fn one_that_others_could_have_filled_or_that_is_no_folder_is_refused() {
    let desk = Desk::new();
    let open = desk.path("open");
    fs::create_dir(&open).unwrap();
    fs::write(open.join("planted"), "").unwrap();
    fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
    let project = Repository::new();
    let run = ["run", "-p", "- summary: x", "--agent", "scripted"];
    let commands: [&[&str]; 3] = [&["ls"], &["serve"], &run];
    for words in commands {
        let ended = about(&desk, &open, words).within(project.root()).end().says("chmod 700");
        refused(ended, "can be written by other users");
    }
    let file = desk.write("file", "mine");
    refused(about(&desk, &file, &["ls"]).end(), "is not a folder");
    refused(about(&desk, &file.join("below"), &["ls"]).end(), "could not be made ready");
    assert_eq!(fs::read_to_string(file).unwrap(), "mine");
    assert_eq!(fs::read_dir(&open).unwrap().count(), 1);
}

#[test]
fn a_folder_that_holds_other_things_is_no_state_directory_and_stays_as_it_is() {
    let desk = Desk::new();
    let mine = desk.path("mine");
    fs::create_dir(&mine).unwrap();
    fs::set_permissions(&mine, Permissions::from_mode(0o755)).unwrap();
    fs::write(mine.join("thesis.txt"), "years").unwrap();
    let refused = desk.callbox(["--state", mine.to_str().unwrap(), "ls"]).end().expect(69);
    assert!(refused.stderr.contains("is no state directory: it holds `thesis.txt`"), "{refused}");
    assert_eq!(fs::metadata(&mine).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(fs::read_dir(&mine).unwrap().count(), 1);
}
