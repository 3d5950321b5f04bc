//! A copy of the database, made and taken up again elsewhere, end to end.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::json;

use crate::support::{cli::Desk, leftovers::run, repository::Repository, resident::Resident};

const ASKS: &str =
    "- write: {path: a.txt, text: one}\n- summary: begun\n- ask: {question: Which?}\n- print: '{answer}'";

#[test]
fn what_was_saved_while_a_store_runs_or_not_is_found_in_a_new_state_directory_and_goes_on_there() {
    for stays in [true, false] {
        let (desk, project) = (Desk::new(), Repository::new());
        run(&desk, &project, ASKS, &[]).expect(3);
        let _ = desk.callbox(["answer", "q1", "red", "--run"]).end().expect(0);
        run(&desk, &project, ASKS, &[]).expect(3);
        let store = stays.then(|| Resident::start(&desk));
        // Relative to where the person stands, whoever writes it.
        let saved = desk.callbox(["backup", "saved.db", "--json"]).end().expect(0);
        let file = desk.path("home/saved.db");
        let found = fs::metadata(&file).unwrap();
        assert_eq!(saved.json(), json!({"file": file, "bytes": found.len()}));
        assert_eq!(found.permissions().mode() & 0o777, 0o600);
        let _ = saved.says("sandboxes, logs and patches are not in it");
        if let Some(store) = store {
            store.stop();
        }
        let names: Vec<_> =
            fs::read_dir(desk.path("home")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(!names.iter().any(|name| name.to_str().unwrap().contains("partial")), "{names:?}");

        let new = desk.path("new");
        fs::create_dir(&new).unwrap();
        fs::set_permissions(&new, fs::Permissions::from_mode(0o700)).unwrap();
        fs::copy(&file, new.join("callbox.db")).unwrap();
        let there = |words: &[&str]| {
            desk.callbox(words.iter().chain(&["--json", "--state", new.to_str().unwrap()])).end()
        };
        let shown = there(&["show", "t1", "t2"]).expect(0).json();
        let states: Vec<_> = shown.as_array().unwrap().iter().map(|one| &one["task"]["state"]).collect();
        assert_eq!(states, ["completed", "blocked"], "{shown}");
        assert_eq!(
            (&shown[0]["summary"], &shown[0]["signals"][1]["tool"]),
            (&json!("red"), &json!("ask_user"))
        );
        let questions = there(&["questions", "--all"]).expect(0).json();
        assert_eq!(
            (&questions[0]["answer"], &questions[1]["state"]),
            (&json!("red"), &json!("open")),
            "{questions}"
        );
        // Without its sandbox it goes on in a new one, where the scripted agent begins anew.
        let ended = there(&["answer", "q2", "blue", "--run"]).expect(3).json();
        assert!(ended["sandbox"].as_str().unwrap().starts_with(new.to_str().unwrap()), "{ended}");
    }
}

#[test]
fn a_file_that_is_there_is_left_alone_and_one_that_cannot_be_written_leaves_nothing() {
    let desk = Desk::new();
    desk.write("home/mine", "mine");
    let _ = desk.callbox(["backup", "mine"]).end().expect(1).says("is there already and stays as it is");
    assert_eq!(fs::read_to_string(desk.path("home/mine")).unwrap(), "mine");
    let _ = desk.callbox(["backup", "no/such/folder/file"]).end().expect(1).says("could not be written");
    assert!(!desk.path("home/no").exists());
}

#[test]
fn no_agent_copies_what_the_store_knows() {
    let (desk, project) = (Desk::new(), Repository::new());
    let attempt = format!("{} backup saved.db > tried 2>&1; echo $? >> tried", env!("CARGO_BIN_EXE_callbox"));
    let root = project.root().display().to_string();
    let task =
        ["run", "-C", &root, "--agent", "scripted", "--isolation", "none", "--deliver", "none", "--json"];
    let ended =
        desk.callbox(task.iter().chain(&["--verify", &attempt, "-p", "- print: x"])).end().expect(0).json();
    let sandbox = ended["sandbox"].as_str().unwrap();
    let tried = fs::read_to_string(format!("{sandbox}/tried")).unwrap();
    assert!(tried.contains("only a person may give it") && tried.ends_with("\n1\n"), "{tried}");
    assert!(!std::path::Path::new(sandbox).join("saved.db").exists());
}

#[test]
fn standard_output_is_no_place_for_a_copy_and_no_file_is_called_after_it() {
    let desk = Desk::new();
    let _ = desk.callbox(["backup", "-"]).end().expect(2).says("cannot be written to standard output");
    assert!(!desk.path("home/-").exists() && !desk.has_database());
    let _ = desk.callbox(["backup", "./-"]).end().expect(0);
    assert!(desk.path("home/-").exists());
}
