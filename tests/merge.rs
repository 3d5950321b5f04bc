//! Work that is merged into the branch it starts from: put on top of where that stands, verified there, and
//! either whole in the branch or nowhere near it.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::{Value, json};

use crate::support::{
    belongings::belongings,
    cli::{Call, Desk},
    processes::nothing_left,
    repository::Repository,
    wait::{SOON, wait_until},
};

const ASKS: &str = "- write: {path: a.txt, text: theirs}\n- commit: begin\n- ask: now?\n";

fn call(desk: &Desk, project: &Repository, steps: &str, more: &[&str]) -> Call {
    let root = project.root().display().to_string();
    let task = ["run", "-C", &root, "--agent", "scripted", "--name", "work", "--deliver", "merge", "--json"];
    desk.callbox(task.into_iter().chain(["-p", steps]).chain(more.iter().copied()))
}

fn answer(desk: &Desk) -> Call {
    desk.callbox(["answer", "q1", "yes", "--run", "--json"])
}

fn callboxs(project: &Repository) -> String {
    project.git(["for-each-ref", "--format=%(refname)", "refs/heads/callbox", "refs/callbox"])
}

#[test]
fn a_branch_that_stood_still_moves_on_with_its_clean_work_tree() {
    let (desk, project) = (Desk::new(), Repository::new());
    let steps = "- write: {path: a.txt, text: a}\n- commit: make it\n- write: {path: b.txt, text: b}";
    let ended = call(&desk, &project, steps, &[]).end().expect(0).json();
    let delivery = &ended["delivery"];
    assert_eq!((&delivery["branch"], &delivery["commits"]), (&json!("main"), &json!(2)), "{ended}");
    assert_eq!(ended["merged_into"], "main");
    let text = desk.callbox(["show", "t1"]).end().expect(0).stdout;
    assert!(text.contains("merged    into main (2 commits"), "{text}");
    assert_eq!(delivery["head"], project.git(["rev-parse", "main"]));
    assert_eq!(fs::read_to_string(project.root().join("b.txt")).unwrap(), "b");
    // As open as what the person writes there.
    let mode = |name: &str| fs::metadata(project.root().join(name)).unwrap().permissions().mode();
    assert_eq!(mode("b.txt"), mode("README.md"));
    assert_eq!(project.git(["reflog", "-1", "--format=%gs", "main"]), "callbox: merge t1: Fast-forward");
    assert_eq!((project.git(["status", "--porcelain"]), callboxs(&project)), (String::new(), String::new()));
    nothing_left(&desk);
}

#[test]
fn work_goes_on_top_of_a_branch_that_moved_and_is_verified_there() {
    let (desk, project) = (Desk::new(), Repository::new());
    let verify = "[ ! -e moved.txt ] && exit 9; cat a.txt moved.txt";
    call(&desk, &project, ASKS, &["--verify", verify]).end().expect(3);
    project.write("moved.txt", "mine");
    let own = project.commit("my own");
    // Somebody who stands elsewhere is not disturbed.
    project.git(["checkout", "-q", "-b", "other"]);
    let before = fs::read_dir(project.root()).unwrap().count();
    let ended = answer(&desk).end().expect(0).json();
    assert_eq!(ended["verify"]["tail"], "theirsmine", "{ended}");
    assert_eq!((&ended["delivery"]["branch"], &ended["delivery"]["base"]), (&json!("main"), &json!(own)));
    assert_eq!(project.git(["rev-parse", "main~1"]), own);
    assert_eq!(project.git(["log", "-1", "--format=%an %s", "main"]), "Pat Person begin");
    assert_eq!(fs::read_dir(project.root()).unwrap().count(), before);
    assert_eq!(project.git(["status", "--porcelain"]), "");
    nothing_left(&desk);
}

#[test]
fn work_that_the_branch_has_in_other_words_is_what_stands_on_the_branch() {
    let (desk, project) = (Desk::new(), Repository::new());
    call(&desk, &project, ASKS, &[]).end().expect(3);
    // The person writes the same by hand, on top of something else.
    project.write("mine.txt", "mine");
    project.commit("my own");
    project.write("a.txt", "theirs");
    let tip = project.commit("the same");
    let ended = answer(&desk).end().expect(0).json();
    assert_eq!(ended["task"]["state"], "completed", "{ended}");
    assert_eq!(project.git(["rev-parse", "main"]), tip);
    assert_eq!(ended["delivery"]["head"], tip, "what is said to stand there does: {ended}");
    nothing_left(&desk);
}

#[test]
fn a_branch_that_moves_while_the_work_is_verified_is_not_forced_and_the_work_is_verified_again() {
    for elsewhere in [None, Some("other")] {
        let (desk, project) = (Desk::new(), Repository::new());
        if let Some(branch) = elsewhere {
            project.git(["checkout", "-q", "-b", branch]);
        }
        let (root, seen) = (project.root(), desk.path("seen"));
        let (root, seen) = (root.display(), seen.display());
        let own = format!("$(git -C {root} commit-tree -p main -m own 'main^{{tree}}')");
        let moves = format!("[ -e {seen} ] || git -C {root} update-ref refs/heads/main {own}");
        let verify = format!("{moves} && echo ran >> {seen} && cat a.txt");
        let more = ["--base", "main", "--isolation", "none", "--verify", &verify];
        let ended = call(&desk, &project, "- write: {path: a.txt, text: a}", &more).end().expect(0).json();
        assert_eq!(fs::read_to_string(desk.path("seen")).unwrap(), "ran\nran\n", "{ended}");
        assert_eq!(project.git(["log", "-1", "--format=%s", "main~1"]), "own");
        assert_eq!(ended["delivery"]["base"], project.git(["rev-parse", "main~1"]));
        assert_eq!(ended["totals"]["executions"], 1, "{ended}");
        assert_eq!(
            (project.git(["show", "main:a.txt"]), project.git(["status", "--porcelain"])),
            ("a".to_owned(), String::new())
        );
        nothing_left(&desk);
    }
}

#[test]
fn a_cancel_is_heard_while_the_work_is_verified_once_more() {
    let (desk, project) = (Desk::new(), Repository::new());
    project.git(["checkout", "-q", "-b", "other"]);
    let (root, first, again) = (project.root(), desk.path("first"), desk.path("again"));
    let (root, first, again) = (root.display(), first.display(), again.display());
    let own = format!("$(git -C {root} commit-tree -p main -m own 'main^{{tree}}')");
    let verify = format!(
        "[ -e {first} ] && echo x > {again} && exec sleep 600; echo x > {first}; \
         git -C {root} update-ref refs/heads/main {own}"
    );
    let more = ["--base", "main", "--isolation", "none", "--verify", &verify];
    let running = call(&desk, &project, "- write: {path: a.txt, text: a}", &more).start();
    wait_until("the work is verified once more", 3 * SOON, || desk.path("again").exists());
    desk.callbox(["cancel", "t1"]).end().expect(0);
    let ended = running.end().json();
    assert_eq!(ended["task"]["state"], "cancelled", "{ended}");
    assert_eq!(project.git(["log", "-1", "--format=%s", "main"]), "own");
    assert_eq!(ended["kept"]["reference"], "refs/callbox/x1", "{ended}");
    nothing_left(&desk);
}

#[test]
fn a_dirty_work_tree_is_not_touched_and_the_work_is_kept() {
    let (desk, project) = (Desk::new(), Repository::new());
    project.write("README.md", "mine");
    let before = belongings(&project.root());
    let ended = call(&desk, &project, "- write: {path: a.txt, text: a}", &[]).end().expect(1).json();
    assert_eq!(ended["error"]["code"], "delivery", "{ended}");
    assert_eq!(ended["kept"]["reference"], "refs/callbox/x1");
    project.git(["update-ref", "refs/heads/callbox/saved", "refs/callbox/x1"]);
    project.git(["update-ref", "-d", "refs/callbox/x1"]);
    assert_eq!(belongings(&project.root()), before);
    project.commit("my own");
    desk.callbox(["take", "t1"]).end().expect(0);
    assert!(project.root().join("a.txt").exists());
}

#[test]
fn a_conflict_goes_back_to_the_agent_and_what_it_mends_is_merged() {
    let (desk, project) = (Desk::new(), Repository::new());
    let steps = format!("{ASKS}- prose_question: done\n- write: {{path: a.txt, text: both}}");
    call(&desk, &project, &steps, &[]).end().expect(3);
    project.write("a.txt", "both");
    let own = project.commit("my own");
    let ended = answer(&desk).end().expect(0).json();
    assert_eq!((&ended["delivery"]["branch"], &ended["totals"]["executions"]), (&json!("main"), &json!(3)));
    let told = fs::read_to_string(desk.state().join("executions/3/launch.json")).unwrap();
    assert!(told.contains("which has moved on to the commit") && told.contains(&own), "{told}");
    assert_eq!(project.git(["show", "main:a.txt"]), "both");
    nothing_left(&desk);
}

#[test]
fn a_conflict_that_nobody_mends_fails_the_task_and_moves_nothing() {
    let (desk, project) = (Desk::new(), Repository::new());
    call(&desk, &project, ASKS, &["--verify-tries", "0"]).end().expect(3);
    project.write("a.txt", "mine");
    let own = project.commit("my own");
    let ended = answer(&desk).end().expect(1).json();
    assert_eq!((&ended["error"]["code"], &ended["delivery"]), (&json!("conflict"), &Value::Null), "{ended}");
    assert_eq!(project.git(["show", "refs/callbox/x2:a.txt"]), "theirs");
    assert_eq!(
        (project.git(["rev-parse", "main"]), project.git(["status", "--porcelain"])),
        (own, String::new())
    );
}

#[test]
fn what_cannot_be_merged_is_refused_before_it_is_queued() {
    let (desk, project) = (Desk::new(), Repository::new());
    let refused = |more: &[&str], words: &str| {
        let _ = call(&desk, &project, "- summary: x", more).end().expect(2).says(words);
    };
    refused(&["--base", "worktree"], "needs a base that is committed");
    refused(&["--base", "main~0"], "needs a branch");
    project.git(["checkout", "-q", "--detach"]);
    refused(&[], "none is checked out");
    assert!(!desk.has_database());
}

#[test]
fn wherever_a_supervisor_is_killed_the_work_is_merged_once() {
    let points = ["outcome_spooled", "work_rebased", "verified_before_report", "delivered_before_report"];
    for point in points.map(|name| format!("supervisor:{name}")) {
        let (desk, project) = (Desk::new(), Repository::new());
        call(&desk, &project, ASKS, &["--verify", "cat moved.txt"]).end().expect(3);
        project.write("moved.txt", "mine");
        let own = project.commit("my own");
        let once = desk.path("died").display().to_string();
        let ended = answer(&desk).variable("CALLBOX_FAULT", &point).variable("CALLBOX_FAULT_ONCE", once);
        let ended = ended.end().expect(0).json();
        assert!(desk.path("died").exists(), "{point} was not passed");
        assert_eq!((&ended["delivery"]["commits"], &ended["totals"]["executions"]), (&json!(1), &json!(2)));
        assert_eq!(project.git(["rev-parse", "main~1"]), own, "{point}");
        assert_eq!(project.git(["status", "--porcelain"]), "", "{point}");
        nothing_left(&desk);
    }
}

#[test]
fn a_branch_that_cannot_be_moved_as_things_stand_is_said_before_an_agent_works() {
    let (desk, project) = (Desk::new(), Repository::new());
    let words = "and `deliver: merge` does not move `main` so: commit or stash them first";
    project.write("new.txt", "nobody's business");
    let clean = call(&desk, &project, ASKS, &[]).end().expect(3);
    assert!(!clean.stderr.contains(words), "{clean}");
    project.write("README.md", "mine");
    let dirty = call(&desk, &project, ASKS, &[]).end().expect(3);
    let _ = dirty.says("`main` is checked out with 1 changed file").says(words);
    // Where it is not checked out nothing is in the way.
    project.git(["stash", "-q"]);
    project.git(["checkout", "-q", "-b", "other"]);
    project.git(["stash", "pop", "-q"]);
    let elsewhere = call(&desk, &project, ASKS, &["--base", "main"]).end().expect(3);
    assert!(!elsewhere.stderr.contains(words), "{elsewhere}");
}
