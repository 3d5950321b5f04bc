//! A subtask starts from the commit its parent stood on when it was spawned, whatever came later.

use crate::support::{
    cli::{Desk, Ended},
    repository::Repository,
    wait::{SOON, wait_until},
};

/// One run at a time, so that a subtask is claimed long after it was spawned.
fn run(desk: &Desk, project: &Repository, steps: &str) -> Ended {
    desk.write("home/.config/callbox/config.toml", "max_concurrent = 1\n");
    let task = desk.write("home/steps", steps);
    let file = format!("@{}", task.display());
    desk.callbox(["run", "--json", "-p", &file, "--agent", "scripted", "--name", "parent"])
        .within(project.root())
        .end()
}

fn files(project: &Repository, branch: &str) -> Vec<String> {
    project.git(["diff", "--name-only", "main", branch, "--"]).lines().map(str::to_owned).collect()
}

#[test]
fn what_a_parent_commits_later_is_not_in_its_subtask() {
    let (desk, project) = (Desk::new(), Repository::new());
    let steps = r#"
- write: {path: first.txt, text: one}
- commit: first
- subtask: {name: early, instructions: "- write: {path: early.txt, text: x}\n- summary: early done"}
- write: {path: second.txt, text: two}
- commit: second
- subtask: {name: late, instructions: "- write: {path: late.txt, text: x}\n- summary: late done"}
- write: {path: third.txt, text: three}
- commit: third
- summary: all of it
"#;
    let ended = run(&desk, &project, steps).expect(0).json();
    assert_eq!(files(&project, "callbox/t2-early"), ["early.txt", "first.txt"], "{ended}");
    assert_eq!(files(&project, "callbox/t3-late"), ["first.txt", "late.txt", "second.txt"], "{ended}");
    let first = project.git(["rev-parse", "callbox/t1-parent~2"]);
    let shown = desk.callbox(["show", "t2", "--json"]).end().expect(0).json();
    assert_eq!(shown["delivery"]["base"], first, "{shown}");
}

#[test]
fn a_commit_that_its_parent_threw_away_is_still_what_a_subtask_starts_from() {
    let (desk, project) = (Desk::new(), Repository::new());
    let head = project.git(["rev-parse", "HEAD"]);
    let branch = "callbox/t1-parent";
    let steps = format!(
        r#"
- write: {{path: first.txt, text: one}}
- commit: first
- subtask: {{name: early, instructions: "- write: {{path: early.txt, text: x}}\n- summary: early done"}}
- write: {{path: .git/refs/heads/{branch}, text: "{head}\n"}}
- summary: none of it
"#
    );
    let ended = run(&desk, &project, &steps).expect(0).json();
    assert_eq!(files(&project, "callbox/t2-early"), ["early.txt", "first.txt"], "{ended}");
}

#[test]
fn where_a_parent_stands_that_cannot_be_read_fails_the_subtask_and_holds_up_nothing() {
    let (desk, project) = (Desk::new(), Repository::new());
    let steps = r#"
- write: {path: .git/HEAD, text: nonsense}
- subtask: {name: early, instructions: "- summary: early done"}
- summary: it was I
"#;
    let ended = run(&desk, &project, steps).expect(69).json();
    assert_eq!(ended["subtasks"][0]["state"], "failed", "{ended}");
    let shown = desk.callbox(["show", "t2", "--json"]).end().expect(0).json();
    assert_eq!(shown["error"]["code"], "base", "{shown}");
}

#[test]
fn a_subtask_without_a_project_runs_beside_its_parent() {
    let desk = Desk::new();
    let steps = "- subtask: {name: side, instructions: \"- summary: side done\"}\n- hang";
    let running =
        desk.callbox(["run", "-p", steps, "--agent", "scripted", "--no-project", "--name", "parent"]).start();
    let done = || desk.callbox(["ls", "--in", "completed"]).end().stdout.contains("t2");
    wait_until("the subtask is done", SOON, done);
    assert!(desk.callbox(["ls", "--in", "running"]).end().stdout.contains("t1"));
    let _ = desk.callbox(["cancel", "t1"]).end().expect(0);
    let _ = running.end().expect(7);
}
