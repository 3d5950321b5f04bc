//! The main job in projects that stand as CI systems and people with many branches leave them: with a
//! detached HEAD, cut off, and in a linked work tree.

use std::{fs, path::Path};

use crate::support::{
    belongings::belongings,
    cli::Desk,
    processes::nothing_left,
    repository::{Repository, git, write},
};

const STEPS: &str = "- subtask: {name: side, instructions: \"- write: {path: side.txt, text: side}\"}\n\
    - write: {path: before.txt, text: before}\n\
    - ask: {question: Which colour?}\n\
    - write: {path: colour.txt, text: \"{answer}\"}\n\
    - commit: paint it {answer}\n\
    - summary: painted {answer}";

/// Asks, is answered and delivers in the work tree `root`, which stands on `head` and has work of the
/// person's in its index and beside it; nothing of theirs may change.
#[track_caller]
fn main_job(root: &Path, head: &str) {
    write(root, "README.md", "staged\n");
    git(root, ["add", "README.md"]);
    write(root, "README.md", "changed again\n");
    write(root, "untracked.txt", "mine");
    let desk = Desk::new();
    let before = belongings(root);

    let run = ["run", "--agent", "scripted", "--name", "paint", "--json", "-p", STEPS];
    let asked = desk.callbox(run).within(root.join("src")).end().expect(3).json();
    assert_eq!(asked["task"]["project"], root.to_str().unwrap(), "{asked}");
    assert_eq!(asked["subtasks"][0]["state"], "completed", "{asked}");
    let answered = desk.callbox(["answer", "q1", "blue", "--run", "--json"]).end().expect(0).json();
    assert_eq!(answered["task"]["state"], "completed", "{answered}");
    let delivery = &answered["delivery"];
    assert_eq!(
        (delivery["base"].as_str(), delivery["branch"].as_str()),
        (Some(head), Some("callbox/t1-paint"))
    );

    for (place, text) in [
        ("callbox/t1-paint:colour.txt", "blue"),
        ("callbox/t1-paint:before.txt", "before"),
        ("callbox/t1-paint:README.md", "a project"),
        ("callbox/t2-side:side.txt", "side"),
    ] {
        assert_eq!(git(root, ["show", place]), text, "{place}");
    }
    assert_eq!(git(root, ["merge-base", head, "callbox/t1-paint"]), head);
    assert_eq!(git(root, ["ls-tree", "callbox/t1-paint", "untracked.txt"]), "");
    assert_eq!(belongings(root), before);
    git(root, ["fsck", "--strict", "--connectivity-only"]);
    nothing_left(&desk);
}

/// A project with a past.
fn repository() -> Repository {
    let repository = Repository::new();
    repository.write("second.txt", "second");
    repository.commit("second");
    repository
}

#[test]
fn with_a_detached_head_the_work_starts_from_it_and_is_delivered() {
    let repository = repository();
    let head = repository.git(["rev-parse", "HEAD~1"]);
    repository.git(["checkout", "-q", "--detach", &head]);
    main_job(&repository.root(), &head);
}

#[test]
fn in_a_shallow_clone_work_is_delivered_and_it_stays_shallow() {
    let repository = repository();
    let shallow = repository.beside("shallow");
    let url = format!("file://{}", repository.root().display());
    repository.git(["clone", "-q", "--depth", "1", &url, shallow.to_str().unwrap()]);
    let cut_off = fs::read(shallow.join(".git/shallow")).unwrap();
    let head = git(&shallow, ["rev-parse", "HEAD"]);
    main_job(&shallow, &head);
    assert_eq!(fs::read(shallow.join(".git/shallow")).unwrap(), cut_off);
    assert_eq!(git(&shallow, ["rev-list", "--count", "HEAD"]), "1");
}

#[test]
fn from_a_shallow_clone_with_a_detached_head_as_ci_makes_them_work_is_delivered() {
    let repository = repository();
    let head = repository.git(["rev-parse", "HEAD"]);
    let checkout = repository.beside("checkout");
    fs::create_dir(&checkout).unwrap();
    let url = format!("file://{}", repository.root().display());
    git(&checkout, ["init", "-q"]);
    git(&checkout, ["remote", "add", "origin", &url]);
    git(&checkout, ["fetch", "-q", "--depth", "1", "origin", &head]);
    git(&checkout, ["checkout", "-q", "--detach", "FETCH_HEAD"]);
    main_job(&checkout, &head);
}

#[test]
fn in_a_linked_work_tree_work_starts_from_its_branch_and_is_seen_from_all_of_them() {
    let repository = repository();
    let linked = repository.beside("linked");
    repository.git(["worktree", "add", "-q", "-b", "feature", linked.to_str().unwrap(), "HEAD~1"]);
    let head = git(&linked, ["rev-parse", "HEAD"]);
    let before = belongings(&repository.root());
    main_job(&linked, &head);
    assert_eq!(git(&linked, ["symbolic-ref", "--short", "HEAD"]), "feature");
    assert_eq!(belongings(&repository.root()), before);
    assert_eq!(repository.git(["show", "callbox/t1-paint:colour.txt"]), "blue");
}
