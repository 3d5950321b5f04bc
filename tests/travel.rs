//! Tasks that are exported from one state directory and go on in another, end to end with the scripted agent.

use std::fs;

use serde_json::json;

use crate::support::{
    cli::Desk,
    journey::{KEY, export, export_call, import, import_call},
    leftovers::run,
    processes::nothing_left,
    repository::{Repository, git},
};

/// Commits, leaves something uncommitted, has a side done, and asks.
const ASKS: &str = r#"- progress: {message: looking, percent: 10}
- write: {path: kept.txt, text: committed}
- commit: one
- write: {path: kept.txt, text: changed}
- write: {path: new.txt, text: uncommitted}
- subtask: {name: side, instructions: "- write: {path: side.txt, text: side}\n- summary: side done"}
- ask: {question: "Which colour?", options: [red, blue]}
- write: {path: colour.txt, text: "{answer}"}
- summary: painted {answer}
"#;

/// A desk of somebody else with a clone of the project, while everything of the first is gone.
fn elsewhere(
    desk: Desk,
    project: Repository,
    archive: &std::path::Path,
) -> (Desk, Repository, std::path::PathBuf) {
    let (there, clone) = (Desk::new(), project.cloned());
    let file = there.path("tmp/came.archive");
    fs::copy(archive, &file).unwrap();
    drop((desk, project));
    (there, clone, file)
}

#[test]
fn a_task_that_asked_goes_on_elsewhere_in_the_same_conversation_and_delivers_there() {
    let (desk, project) = (Desk::new(), Repository::new());
    let asked = run(&desk, &project, ASKS, &[]).expect(3).json();
    let archive = export(&desk, &["t1"], &[]);
    let (there, clone, archive) = elsewhere(desk, project, &archive);
    let taken = import(&there, &archive, &clone).json();
    assert_eq!(taken["tasks"][0]["number"], "t1", "{taken}");
    assert_eq!(taken["tasks"][0]["id"], asked["task"]["id"]);
    assert_eq!(
        (&taken["tasks"][0]["sandbox"], &taken["tasks"][0]["conversation"]),
        (&json!(true), &json!(true)),
        "{taken}"
    );
    let shown = there.callbox(["show", "t1", "--json"]).end().expect(0).json();
    assert_eq!(shown["task"]["project"], json!(clone.root()), "{shown}");
    assert_eq!(shown["questions"][0]["question"], "Which colour?");
    let sandbox = std::path::PathBuf::from(shown["sandbox"].as_str().unwrap());
    assert!(sandbox.starts_with(there.state()), "{shown}");
    assert_eq!(fs::read_to_string(sandbox.join("kept.txt")).unwrap(), "changed");
    assert_eq!(fs::read_to_string(sandbox.join("new.txt")).unwrap(), "uncommitted");
    assert_eq!(git(&sandbox, ["status", "--porcelain"]), " M kept.txt\n?? new.txt", "as the agent left it");

    let answered = there.callbox(["answer", "q1", "blue", "--run", "--json"]).end().expect(0).json();
    assert_eq!(
        (&answered["summary"], &answered["task"]["state"]),
        (&json!("painted blue"), &json!("completed"))
    );
    let branch = answered["delivery"]["branch"].as_str().unwrap();
    for (file, text) in [("colour.txt", "blue"), ("kept.txt", "changed"), ("new.txt", "uncommitted")] {
        assert_eq!(clone.git(["show", &format!("{branch}:{file}")]).trim(), text);
    }
    assert!(clone.git(["log", "--format=%s", branch]).lines().any(|subject| subject == "one"));
    let shown = there.callbox(["show", "t1", "--json"]).end().expect(0).json();
    let runs = shown["executions"].as_array().unwrap();
    assert_eq!(runs.len(), 2, "{shown}");
    assert_eq!(runs[0]["session_id"], runs[1]["session_id"], "it is the same conversation");
    assert_eq!(shown["subtasks"][0]["state"], "completed", "{shown}");
    nothing_left(&there);
}

#[test]
fn where_numbers_are_taken_tasks_get_others_and_nothing_that_was_here_is_touched() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, ASKS, &[]).expect(3);
    let archive = export(&desk, &["t1"], &[]);
    let (there, clone, archive) = elsewhere(desk, project, &archive);
    run(&there, &clone, "- ask: {question: Mine?}\n- summary: mine", &[]).expect(3);
    let taken = import(&there, &archive, &clone).json();
    let numbers: Vec<_> = taken["tasks"].as_array().unwrap().iter().map(|task| &task["number"]).collect();
    assert_eq!(numbers, ["t2", "t3"], "{taken}");
    let answered = there.callbox(["answer", "t2", "red", "--run", "--json"]).end().expect(0).json();
    assert_eq!(answered["summary"], "painted red", "{answered}");
    let mine = there.callbox(["answer", "q1", "x", "--run", "--json"]).end().expect(0).json();
    assert_eq!((&mine["task"]["number"], &mine["summary"]), (&json!("t1"), &json!("mine")));
}

#[test]
fn a_task_that_is_here_already_is_refused_by_name() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, ASKS, &[]).expect(3);
    let archive = export(&desk, &["t1"], &[]);
    let before = desk.callbox(["ls", "--json"]).end().expect(0).stdout;
    let _ = import_call(&desk, &archive, Some(&project)).end().expect(1).says("is here already, as `t1`");
    assert_eq!(desk.callbox(["ls", "--json"]).end().expect(0).stdout, before);
}

#[test]
fn a_task_that_runs_or_was_begun_by_hand_stays() {
    let desk = Desk::new();
    let hung =
        desk.callbox(["run", "--agent", "scripted", "--no-project", "-p", "- progress: x\n- hang"]).start();
    crate::support::wait::wait_until("it runs", std::time::Duration::from_secs(30), || {
        desk.state().join("operator/store.sock").exists()
            && desk.callbox(["show", "t1"]).end().status == 0
            && desk.standing("t1") == "running"
    });
    let _ = export_call(&desk, &["t1"], &[]).end().expect(1).says("`t1` cannot go along: it is running");
    assert!(!desk.path("tmp/tasks.archive").exists());
    let _ = desk.callbox(["cancel", "t1"]).end().expect(0);
    let _ = hung.end();
    let _ = desk.callbox(["attach", "--", "sh", "-c", "true"]).end();
    let _ = export_call(&desk, &["t2"], &[]).end().expect(1).says("a person began it by hand");
}

#[test]
fn a_task_without_a_project_takes_its_files_along() {
    let desk = Desk::new();
    let steps = "- write: {path: deep/a.txt, text: \"one\\r\\n\"}\n- write: {path: .gitattributes, text: '* text'}\n\
                 - ask: {question: Which?}\n- summary: '{answer}'";
    let line = ["run", "--agent", "scripted", "--no-project", "-p", steps, "--json"];
    desk.callbox(line).end().expect(3);
    let archive = export(&desk, &["t1"], &[]);
    let there = Desk::new();
    let taken = import_call(&there, &archive, None).end().expect(0).json();
    assert_eq!(taken["tasks"][0]["conversation"], true, "{taken}");
    let ended = there.callbox(["answer", "q1", "this", "--run", "--json"]).end().expect(0).json();
    assert_eq!(ended["summary"], "this", "{ended}");
    let sandbox = std::path::PathBuf::from(ended["sandbox"].as_str().unwrap());
    assert!(sandbox.starts_with(there.state()));
    assert_eq!(fs::read_to_string(sandbox.join("deep/a.txt")).unwrap(), "one\r\n");
}

#[test]
fn an_encrypted_archive_is_read_with_its_key_alone() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, ASKS, &[]).expect(3);
    let archive = export(&desk, &["t1"], &["--encrypt"]);
    let bytes = fs::read(&archive).unwrap();
    assert!(bytes.starts_with(b"age-encryption.org/v1"));
    assert!(!bytes.windows(13).any(|words| words == b"Which colour?"));
    let (there, clone, archive) = elsewhere(desk, project, &archive);
    let wrong =
        import_call(&there, &archive, Some(&clone)).variable("CALLBOX_ARCHIVE_KEY", "another key, as long");
    let _ = wrong.end().expect(1).says("it cannot be decrypted with this key");
    let none = import_call(&there, &archive, Some(&clone)).variable("CALLBOX_ARCHIVE_KEY", "");
    let _ = none.end().expect(1).says("it is encrypted, and there is no key for it");
    let named = import_call(&there, &archive, Some(&clone)).variable("CALLBOX_ARCHIVE_KEY", "");
    drop(named);
    assert_eq!(import(&there, &archive, &clone).json()["tasks"][0]["number"], "t1");
}

#[test]
fn what_was_delivered_goes_on_on_its_branch_elsewhere() {
    let (desk, project) = (Desk::new(), Repository::new());
    let steps =
        "- write: {path: a.txt, text: one}\n- summary: done\n- ask: {question: More?}\n- summary: '{answer}'";
    run(&desk, &project, steps, &[]).expect(3);
    let _ = desk.callbox(["dismiss", "q1", "--run"]).end();
    let archive = export(&desk, &["t1"], &[]);
    let (there, clone, archive) = elsewhere(desk, project, &archive);
    import(&there, &archive, &clone);
    let more = there.callbox(["resume", "t1", "more", "--run", "--json"]).end().expect(0).json();
    let branch = more["delivery"]["branch"].as_str().unwrap();
    assert_eq!(clone.git(["show", &format!("{branch}:a.txt")]).trim(), "one", "{more}");
}

#[test]
fn an_archive_without_a_key_is_neither_made_nor_taken_unless_that_is_wanted() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, ASKS, &[]).expect(3);
    let none = export_call(&desk, &["t1"], &[]).variable("CALLBOX_ARCHIVE_KEY", "");
    let _ = none.end().expect(2).says("there is no key");
    let short = export_call(&desk, &["t1"], &[]).variable("CALLBOX_ARCHIVE_KEY", "short");
    let _ = short.end().expect(2).says("at least 16 characters");
    let archive = export(&desk, &["t1"], &["--unsigned"]);
    let (there, clone, archive) = elsewhere(desk, project, &archive);
    let _ = import_call(&there, &archive, Some(&clone)).end().expect(1).says("it has no signature");
    assert!(!there.has_database(), "nothing was opened for it");
    let root = clone.root().display().to_string();
    let file = archive.display().to_string();
    let line = ["import", &file, "--unsigned", "--project", &root, "--key-env", "OTHER"];
    let _ = there.callbox(line).variable("OTHER", KEY).end().expect(0);
    assert_eq!(there.standing("t1"), "blocked");
}

#[test]
fn a_project_that_lacks_the_commit_is_refused_with_its_name() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, ASKS, &[]).expect(3);
    let archive = export(&desk, &["t1"], &[]);
    let (there, other) = (Desk::new(), Repository::unborn("main"));
    other.write("x", "x");
    other.commit("unrelated");
    let before = other.git(["for-each-ref"]);
    let refused = import_call(&there, &archive, Some(&other)).end().expect(69);
    let _ = refused.says("has no commit").says("--project DIR");
    assert_eq!(other.git(["for-each-ref"]), before);
    assert_eq!(there.callbox(["ls", "--json"]).end().expect(0).json(), json!([]));
    assert!(!there.state().join("sandboxes/1").exists());
    let gone = import_call(&there, &archive, None);
    drop(project);
    let _ = gone.end().expect(69).says("`--project DIR` says where the project stands here");
}
