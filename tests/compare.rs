//! The same task for several agents: from one commit, under one tag, compared, and one of them taken.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    cli::{Call, Desk, Ended},
    fake_programs::{Deed, claude, codex, desk, with_keys},
    repository::Repository,
    resident::Resident,
    wait::{SOON, wait_until},
};

fn callbox(desk: &Desk, arguments: &[&str]) -> Call {
    with_keys(desk.callbox(arguments))
}

/// A desk whose Claude Code paints red and whose Codex paints blue, and what they paint.
fn painters() -> (Desk, Repository) {
    let desk = desk();
    claude(&desk, Deed::Does("echo red > colour.txt"));
    codex(&desk, Deed::Does("echo blue > colour.txt"));
    (desk, Repository::new())
}

/// Both paint `project`, with `more` arguments.
fn both(desk: &Desk, project: &Repository, command: &str, more: &[&str]) -> Ended {
    let root = project.root().display().to_string();
    let task = [command, "-C", &root, "--agent", "claude,codex", "--name", "paint", "-p", "Paint it."];
    callbox(desk, &[&task, more].concat()).end()
}

fn show(desk: &Desk, task: &str) -> Value {
    desk.callbox(["show", task, "--json"]).end().expect(0).json()
}

fn diff(desk: &Desk, more: &[&str]) -> Ended {
    desk.callbox([&["diff", "t1", "t2"], more].concat()).end()
}

#[test]
fn all_start_from_one_commit_under_one_tag_and_what_differs_between_them_is_shown() {
    let (desk, project) = painters();
    let base = project.git(["rev-parse", "HEAD"]);
    let queued = both(&desk, &project, "submit", &["--tag", "night"]).expect(0);
    let tag = show(&desk, "t1")["task"]["comparison"].as_str().unwrap().to_owned();
    let said = format!("t1 (claude) and t2 (codex) do the same from {}, under the tag `{tag}`", &base[..12]);
    let _ = queued.says(&said).says("`callbox diff t1 t2` compares two of them");
    // The project moves on before they begin.
    project.write("own.txt", "mine");
    project.commit("my own");
    callbox(&desk, &["run", "--queued"]).end().expect(0);
    for (task, colour) in [("t1", "red"), ("t2", "blue")] {
        let shown = show(&desk, task);
        assert_eq!(shown["delivery"]["base"], base, "{shown}");
        assert_eq!(shown["task"]["tags"], json!(["night", tag]));
        assert_eq!(project.git(["show", &format!("callbox/{task}-paint:colour.txt")]), colour);
    }
    assert!(tag.starts_with("compare-"), "{tag}");
    let listed = desk.callbox(["ls", "--tag", &tag, "--json"]).end().expect(0).json();
    assert_eq!(listed.as_array().unwrap().len(), 2);
    let patch = diff(&desk, &[]).expect(0);
    assert!(patch.stdout.contains("-red\n+blue") && !patch.stdout.contains("own.txt"), "{patch}");
    let stat = diff(&desk, &["--stat"]).expect(0).stdout;
    assert!(stat.contains("colour.txt") && !stat.contains("+blue"), "{stat}");
    let shown = diff(&desk, &["--json"]).expect(0).json();
    let heads = ["t1", "t2"].map(|task| show(&desk, task)["delivery"]["head"].clone());
    assert_eq!([&shown["base"], &shown["head"]], [&heads[0], &heads[1]], "{shown}");
    let same = desk.callbox(["diff", "t1", "t1"]).end().expect(0);
    let _ = same.says("the work of t1 and of t1 is the same");

    let taken = desk.callbox(["take", "t2"]).end().expect(0).stdout;
    assert!(
        taken
            .contains("t1 had ended and keeps its branch callbox/t1-paint: `git branch -D callbox/t1-paint`"),
        "{taken}"
    );
    assert_eq!(project.git(["show", "HEAD:colour.txt"]), "blue");
}

#[test]
fn taking_one_cancels_those_that_are_still_open_and_work_in_a_sandbox_is_compared_too() {
    let (desk, project) = painters();
    let gate = format!(
        "echo blue > colour.txt; : > {0}; while [ ! -e {1} ]; do sleep 0.05; done",
        desk.path("painted").display(),
        desk.path("gate").display()
    );
    codex(&desk, Deed::Does(&gate));
    let _store = Resident::from(&desk, callbox(&desk, &["serve"]).start());
    both(&desk, &project, "submit", &[]).expect(0);
    let other = ["submit", "--agent", "codex", "--no-project", "-p", "x", "--hold", "--tag"];
    let tag = show(&desk, "t1")["task"]["comparison"].as_str().unwrap().to_owned();
    callbox(&desk, &[&other[..], &[&tag]].concat()).end().expect(0);
    wait_until("the one is done and the other paints", SOON, || {
        desk.standing("t1") == "completed" && desk.path("painted").exists()
    });
    let patch = diff(&desk, &["--json"]).expect(0).json();
    assert!(patch["text"].as_str().unwrap().contains("-red\n+blue"), "{patch}");
    assert_eq!(patch["head"], Value::Null, "it stands in the sandbox");
    let back = desk.callbox(["diff", "t2", "t1"]).end().expect(0).stdout;
    assert!(back.contains("-blue\n+red"), "{back}");

    let taken = desk.callbox(["take", "t1", "--json"]).end().expect(0).json();
    let others = taken["others"].as_array().unwrap();
    assert_eq!(
        (others.len(), &others[0]["task"], &others[0]["state"]),
        (1, &json!("t2"), &json!("cancelled")),
        "{taken}"
    );
    assert_eq!(
        (desk.standing("t2"), desk.standing("t3")),
        ("cancelled".to_owned(), "pending".to_owned()),
        "a tag alone makes no comparison"
    );
    // What was cancelled is kept, and can still be compared and taken.
    assert!(diff(&desk, &[]).expect(0).stdout.contains("-red\n+blue"));
    desk.callbox(["cancel", "--tag", &tag]).end().expect(0);
    assert_eq!(desk.standing("t3"), "cancelled");
    desk.callbox(["cancel", "--tag", &tag]).end().expect(1).says("is open");
}

#[test]
fn accepting_one_cancels_those_that_wait_for_the_same_review() {
    let (desk, project) = painters();
    both(&desk, &project, "run", &["--review", "yes", "--deliver", "merge"]).expect(0);
    assert_eq!((desk.standing("t1"), desk.standing("t2")), ("ready".to_owned(), "ready".to_owned()));
    let accepted = callbox(&desk, &["accept", "t2"]).end().expect(0);
    assert!(accepted.stdout.contains("accepted and merged"), "{accepted}");
    let _ = accepted.says("t1 is cancelled");
    assert_eq!((desk.standing("t1"), desk.standing("t2")), ("cancelled".to_owned(), "completed".to_owned()));
    assert_eq!(project.git(["show", "HEAD:colour.txt"]), "blue");
}

#[test]
fn what_cannot_be_compared_is_refused_and_nothing_is_queued() {
    let (desk, project) = painters();
    let root = project.root().display().to_string();
    for (agents, more, status, reason) in [
        ("claude,claude", &[][..], 2, "names `claude` twice"),
        ("claude,any", &[], 2, "names `any` among others"),
        ("claude,nobody", &[], 2, "no agent called `nobody`"),
        ("claude,gemini", &[], 69, "`gemini` is not on the PATH"),
        ("claude,codex", &["--deliver", "merge"], 2, "cannot be merged by itself"),
        ("claude,codex", &["--base", "worktree"], 2, "must start from one commit"),
        ("claude,codex", &["--base", "gone"], 69, "gone"),
    ] {
        let task = ["submit", "-C", &root, "-p", "x", "--agent", agents];
        let _ = callbox(&desk, &[&task, more].concat()).end().expect(status).says(reason);
    }
    desk.write("home/.config/callbox/config.toml", "agent = [\"claude\", \"codex\"]\n");
    let refused = callbox(&desk, &["submit", "-C", &root, "-p", "x"]).end().expect(2);
    let _ = refused.says("config.toml:1: `agent` names several agents");
    desk.write("home/.config/callbox/config.toml", "isolation = \"none\"\n");
    assert!(desk.callbox(["ls", "--json"]).end().expect(0).json().as_array().unwrap().is_empty());
}

#[test]
fn tasks_of_different_projects_and_without_work_are_not_compared() {
    let (desk, project) = painters();
    let other = Repository::new();
    for root in [project.root(), other.root()] {
        let root = root.display().to_string();
        callbox(&desk, &["run", "-C", &root, "--agent", "claude", "-p", "x"]).end().expect(0);
    }
    diff(&desk, &[]).expect(1).says("t1 and t2 work on different projects");
    let root = project.root().display().to_string();
    callbox(&desk, &["submit", "-C", &root, "--agent", "claude", "-p", "x", "--hold"]).end().expect(0);
    desk.callbox(["diff", "t1", "t3"]).end().expect(1).says("`t3` has delivered nothing");
}

#[test]
fn a_task_file_names_the_agents_in_a_list_and_what_goes_behind_others_starts_from_their_work() {
    let (desk, project) = painters();
    let file = format!(
        "tasks:\n- name: draft\n  agent: claude\n  project: {0}\n  instructions: Draft it.\n- name: paint\n  \
         agent: [claude, codex]\n  after: [draft]\n  project: {0}\n  instructions: Paint it.\n",
        project.root().display()
    );
    desk.write("home/both.yaml", &file);
    callbox(&desk, &["run", "both.yaml"]).end().expect(0);
    let draft = show(&desk, "t1")["delivery"]["head"].clone();
    let bases = ["t2", "t3"].map(|task| show(&desk, task)["task"]["agent"].clone());
    assert_eq!(bases, ["claude", "codex"]);
    assert_eq!(show(&desk, "t3")["delivery"]["base"], draft);
    fs::write(desk.path("home/both.yaml"), file.replace("after: [draft]", "base: head\n  after: [draft]"))
        .unwrap();
    let refused = callbox(&desk, &["submit", "both.yaml"]).end().expect(2);
    let _ = refused.says("must start from theirs");
}
