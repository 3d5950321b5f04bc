//! A sandbox that starts from what a person has not committed yet.

use std::{fs, path::Path};

use serde_json::json;

use crate::support::{
    belongings::belongings,
    cli::{Call, Desk},
    processes::nothing_left,
    repository::Repository,
};

fn call(desk: &Desk, project: &Repository, base: &str, steps: &str) -> Call {
    let root = project.root().display().to_string();
    let task = ["run", "-C", &root, "--agent", "scripted", "--name", "work", "--base", base, "--json"];
    desk.callbox(task.into_iter().chain(["-p", steps]))
}

/// Changed, staged, removed, new and ignored files.
fn dirty() -> Repository {
    let project = Repository::new();
    project.write(".gitignore", "*.log\n");
    project.write("gone.txt", "gone");
    project.commit("more");
    project.write("README.md", "changed\n");
    project.write("staged.txt", "staged");
    project.git(["add", "staged.txt"]);
    project.write("staged.txt", "staged and changed");
    project.write("staged too.txt", "staged alone");
    project.git(["add", "staged too.txt"]);
    project.write("new/file.txt", "new");
    project.write("noise.log", "ignored");
    fs::remove_file(project.root().join("gone.txt")).unwrap();
    project
}

fn objects(project: &Repository) -> usize {
    fn count(folder: &Path) -> usize {
        let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
        entries.map(|entry| if entry.path().is_dir() { count(&entry.path()) } else { 1 }).sum()
    }
    count(&project.root().join(".git/objects"))
}

#[test]
fn the_sandbox_has_what_is_not_committed_and_the_project_is_not_touched() {
    let (desk, project) = (Desk::new(), dirty());
    let (before, objects_before) = (belongings(&project.root()), objects(&project));
    let status = project.git(["status", "--porcelain"]);
    let ended = call(&desk, &project, "worktree", "- ask: good?").end().expect(3);
    assert!(!ended.stderr.contains("not included"), "{ended}");
    let sandbox = desk.state().join("sandboxes/1/1");
    for (file, text) in [
        ("README.md", "changed\n"),
        ("staged.txt", "staged and changed"),
        ("staged too.txt", "staged alone"),
        ("new/file.txt", "new"),
    ] {
        assert_eq!(fs::read_to_string(sandbox.join(file)).unwrap(), text, "{file}");
    }
    assert!(!sandbox.join("gone.txt").exists() && !sandbox.join("noise.log").exists());
    assert_eq!(belongings(&project.root()), before);
    assert_eq!((objects(&project), project.git(["status", "--porcelain"])), (objects_before, status));
    nothing_left(&desk);
}

#[test]
fn the_branch_has_the_agents_change_on_top_of_one_commit_with_the_persons() {
    let (desk, project) = (Desk::new(), dirty());
    let head = project.git(["rev-parse", "HEAD"]);
    let steps = "- write: {path: made.txt, text: made}\n- commit: make it";
    let ended = call(&desk, &project, "worktree", steps).end().expect(0).json();
    let delivery = &ended["delivery"];
    assert_eq!((&delivery["commits"], &delivery["files"]), (&json!(1), &json!(1)), "{ended}");
    let history = project.git(["log", "--format=%an: %s", "main..callbox/t1-work"]);
    let expected = "Pat Person: make it\ncallbox: Changes of the work tree that were not committed";
    assert_eq!(history, expected);
    let base = delivery["base"].as_str().unwrap();
    assert_eq!(project.git(["rev-parse", "callbox/t1-work~1"]), base);
    assert_eq!(project.git(["rev-parse", "callbox/t1-work~2"]), head);
    assert_eq!(project.git(["diff", "--name-only", base, "callbox/t1-work"]), "made.txt");
    assert_eq!(project.git(["show", "callbox/t1-work:README.md"]), "changed");
    project.git(["fsck", "--strict"]);
    assert!(!desk.callbox(["diff", "t1"]).end().expect(0).stdout.contains("README"));
    // Once the person has committed the same, nothing of theirs is in conflict with it.
    project.commit("my own");
    desk.callbox(["take", "t1"]).end().expect(0);
    assert_eq!(fs::read_to_string(project.root().join("made.txt")).unwrap(), "made");
    nothing_left(&desk);
}

#[test]
fn where_everything_is_committed_it_starts_from_head_and_any_other_base_says_what_it_leaves_out() {
    let (desk, project) = (Desk::new(), Repository::new());
    let steps = "- write: {path: a.txt, text: a}";
    let ended = call(&desk, &project, "worktree", steps).end().expect(0).json();
    assert_eq!(ended["delivery"]["base"], project.git(["rev-parse", "HEAD"]));
    project.write("README.md", "changed");
    let _ = call(&desk, &project, "head", steps).end().expect(0).says("1 changed file is not included");
    let _ = call(&desk, &project, "main", steps).end().expect(0).says("1 changed file is not included");
}

#[test]
fn a_subtask_starts_from_its_parents_commit_on_top_of_the_snapshot() {
    let (desk, project) = (Desk::new(), dirty());
    let steps =
        "- subtask: {name: side, instructions: \"- write: {path: side.txt, text: side}\"}\n- summary: ok";
    let ended = call(&desk, &project, "worktree", steps).end().expect(0).json();
    assert_eq!(ended["subtasks"][0]["branch"], "callbox/t2-side", "{ended}");
    assert_eq!(project.git(["show", "callbox/t2-side:new/file.txt"]), "new");
    assert_eq!(project.git(["diff", "--name-only", "callbox/t2-side~1", "callbox/t2-side"]), "side.txt");
}
