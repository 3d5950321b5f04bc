//! Work that is merged goes earlier, and callbox's own branches with it, where that is wanted.

use crate::support::{
    cli::Desk,
    leftovers::{run, standing, tasks},
    repository::Repository,
};

const WRITES: &str = "- write: {path: a.txt, text: one}\n- summary: written\n- prose_question: more?\n- write: {path: b.txt, text: b}";

/// `callbox gc` as the configuration has it.
#[track_caller]
fn collected(desk: &Desk, more: &[&str]) -> serde_json::Value {
    desk.callbox(["gc", "--json"].iter().chain(more)).end().expect(0).json()
}

fn configure(desk: &Desk, gc: &str) {
    desk.write("home/.config/callbox/config.toml", &format!("[gc]\n{gc}\n"));
}

/// Waits for the second at which what just ended is old enough.
fn a_second_later(desk: &Desk, task: &str) {
    crate::support::wait::wait_until("it is a second old", crate::support::wait::SOON, || {
        let seen = collected(desk, &["--dry-run", "--keep", "1s"]);
        tasks(&seen, "removed").contains(&task.to_owned()) || tasks(&seen, "stays").contains(&task.to_owned())
    });
}

fn branches(project: &Repository) -> String {
    project.git(["for-each-ref", "--format=%(refname:short)", "refs/heads/callbox"])
}

#[test]
fn what_is_merged_goes_early_and_what_is_not_stays_for_a_week() {
    let (desk, project) = (Desk::new(), Repository::new());
    for _ in 0..3 {
        run(&desk, &project, WRITES, &[]).expect(0);
    }
    project.git(["merge", "-q", "callbox/t1-work"]);
    project.git(["update-ref", "refs/remotes/origin/trunk", "callbox/t3-work"]);
    a_second_later(&desk, "t3");
    assert_eq!(tasks(&collected(&desk, &[]), "removed").len(), 0, "only where it is wanted");
    configure(&desk, "keep_merged = '1s'");
    assert_eq!(tasks(&collected(&desk, &["--dry-run"]), "removed"), ["t1"]);
    let done = collected(&desk, &[]);
    assert_eq!(
        (tasks(&done, "removed"), &done["removed"][0]["why"]),
        (vec!["t1".to_owned()], &"merged".into())
    );
    // The default branch of the remote counts as the one that is checked out does.
    project.git(["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    assert_eq!(tasks(&collected(&desk, &[]), "removed"), ["t3"]);
    assert!(standing(&desk, 2).contains(&"1".to_owned()));
    assert_eq!(branches(&project).lines().count(), 3, "no branch goes that is not wanted gone");
    // One of callbox's own branches is nobody's to work on.
    project.git(["checkout", "-q", "callbox/t2-work"]);
    assert_eq!(tasks(&collected(&desk, &[]), "removed").len(), 0);
}

#[test]
fn own_branches_that_are_merged_go_where_that_is_wanted_and_what_they_held_is_shown_and_gone_on_from() {
    let (desk, project) = (Desk::new(), Repository::new());
    configure(&desk, "keep_merged = '1s'\nmerged_branches = true");
    for _ in 0..5 {
        run(&desk, &project, WRITES, &[]).expect(0);
    }
    let diff = desk.callbox(["diff", "t1"]).end().expect(0).stdout;
    project.git(["merge", "-q", "callbox/t1-work"]);
    // t2 is not merged; t3 was moved since; t4 is checked out elsewhere; of t5 a task is to start.
    for branch in ["t3", "t4", "t5"] {
        project.git(["merge", "-q", "-s", "ours", "-m", "take it", &format!("callbox/{branch}-work")]);
    }
    project.git(["branch", "-f", "callbox/t3-work", "main"]);
    let tree = project.beside("tree").display().to_string();
    project.git(["worktree", "add", "-q", &tree, "callbox/t4-work"]);
    let root = project.root().display().to_string();
    desk.callbox(["submit", "-C", &root, "--agent", "scripted", "--after", "t5", "-p", "- print: x"])
        .end()
        .expect(0);
    project.git(["branch", "callbox/mine", "main"]);
    a_second_later(&desk, "t5");
    let seen = collected(&desk, &["--dry-run"]);
    assert_eq!(branches(&project).lines().count(), 6, "a look removes nothing");
    let done = collected(&desk, &[]);
    assert_eq!(seen["branches"], done["branches"]);
    let gone: Vec<_> =
        done["branches"].as_array().unwrap().iter().map(|one| one["branch"].as_str().unwrap()).collect();
    assert_eq!(gone, ["callbox/t1-work"], "{done}");
    assert!(!branches(&project).contains("t1-work") && branches(&project).lines().count() == 5);
    assert_eq!(desk.callbox(["diff", "t1"]).end().expect(0).stdout, diff);
    let again = desk.callbox(["resume", "t1", "More.", "--run", "--json"]).end().expect(0).json();
    assert_eq!(again["task"]["state"], "completed", "{again}");
    assert!(branches(&project).contains("t1-work"), "{again}");
}

#[test]
fn a_merged_branch_that_is_another_name_or_that_anything_still_needs_stays() {
    let (desk, project) = (Desk::new(), Repository::new());
    configure(&desk, "keep_merged = '1s'\nmerged_branches = true");
    for _ in 0..5 {
        run(&desk, &project, WRITES, &[]).expect(0);
    }
    let root = project.root().display().to_string();
    let submit = |more: &[&str]| {
        let task = ["submit", "-C", &root, "--agent", "scripted", "--hold", "-p", "- print: x"];
        desk.callbox(task.iter().chain(more)).end().expect(0);
    };
    for task in 1..5 {
        project.git(["merge", "-q", "-s", "ours", "-m", "take it", &format!("callbox/t{task}-work")]);
    }
    // Tasks start from t1 and t2; t3 is in the middle of a rebase; t5 is merged into nothing but a copy of itself.
    submit(&["--base", "callbox/t1-work"]);
    submit(&["--base", "refs/heads/callbox/t2-work~1"]);
    let tree = project.beside("tree");
    project.git(["worktree", "add", "-q", &tree.display().to_string(), "callbox/t3-work"]);
    let rebase = ["rebase", "-q", "-x", "false", "HEAD~1"];
    let stopped = std::process::Command::new("git").args(rebase).current_dir(&tree).output().unwrap();
    assert!(!stopped.status.success(), "{stopped:?}");
    project.git(["update-ref", "refs/remotes/origin/callbox/t5-work", "callbox/t5-work"]);
    project.git(["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/callbox/t5-work"]);
    // The branch t4 is the person's own by another name.
    let t4 = project.git(["rev-parse", "callbox/t4-work"]);
    project.git(["branch", "own", t4.trim()]);
    project.git(["symbolic-ref", "refs/heads/callbox/t4-work", "refs/heads/own"]);
    a_second_later(&desk, "t5");
    let before = project.git(["for-each-ref"]);
    let done = collected(&desk, &[]);
    assert_eq!(
        (&done["branches"], project.git(["for-each-ref"])),
        (&serde_json::json!([]), before),
        "{done}"
    );
}
