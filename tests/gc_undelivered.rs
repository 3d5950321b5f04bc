//! Work that stands in a sandbox alone is never removed by age or for room, and is named with the reason.

use std::fs;

use crate::support::{
    cli::Desk,
    leftovers::{collected, run, standing, tasks},
    repository::Repository,
};

const WRITES: &str = "- write: {path: a.txt, text: one}\n- print: x";

/// Task 1 of `desk` stays, with `words` as the reason, until it is dropped by name.
#[track_caller]
fn stays(desk: &Desk, words: &str) {
    for more in [&["--dry-run"][..], &[]] {
        let done = collected(desk, more);
        assert_eq!(
            (tasks(&done, "removed").len(), tasks(&done, "stays")),
            (0, vec!["t1".to_owned()]),
            "{done}"
        );
        let reason = done["stays"][0]["reason"].as_str().unwrap();
        assert!(reason.contains(words), "no {words:?} in {reason}");
        assert!(done["stays"][0]["sandboxes"][0].as_str().unwrap().ends_with("/sandboxes/1/1"), "{done}");
    }
    assert!(standing(desk, 1).contains(&"1".to_owned()) && desk.state().join("executions/1").exists());
    let text = desk.callbox(["gc", "--keep", "0s"]).end().expect(0).stdout;
    assert!(text.contains(words) && text.contains("callbox gc --drop t1"), "{text}");
    let done = collected(desk, &["--drop", "t1"]);
    assert_eq!((tasks(&done, "removed"), standing(desk, 1).len()), (vec!["t1".to_owned()], 0), "{done}");
}

#[test]
fn what_is_delivered_nowhere_stays() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, WRITES, &["--deliver", "none"]).expect(0);
    stays(&desk, "`a.txt` stands in it that was not handed over");
}

#[test]
fn what_has_no_project_stays_and_an_empty_folder_goes() {
    let desk = Desk::new();
    let task = ["run", "--no-project", "--agent", "scripted", "-p"];
    desk.callbox(task.iter().chain(&[WRITES])).end().expect(0);
    stays(&desk, "the task has no project");
    desk.callbox(task.iter().chain(&["- print: x"])).end().expect(0);
    assert_eq!(tasks(&collected(&desk, &[]), "removed"), ["t2"]);
}

#[test]
fn what_a_person_did_in_a_sandbox_behind_the_end_stays() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, WRITES, &[]).expect(0);
    let sandbox = desk.state().join("sandboxes/1/1");
    fs::write(sandbox.join("a.txt"), "two").unwrap();
    fs::write(sandbox.join("b.txt"), "mine").unwrap();
    stays(&desk, "`a.txt` and another file stand in it that were not handed over");
}

#[test]
fn what_was_committed_beside_the_work_or_put_aside_stays() {
    for (script, name) in [
        (
            "git checkout -q -b side && echo x > side.txt && git add -A && git commit -qm side && git checkout -q -",
            "`refs/heads/side`",
        ),
        ("echo more >> README.md && git stash -q", "`refs/stash`"),
        (
            "git worktree add -q --detach ../../../ext && cd ../../../ext && echo x > x && git add -A && git commit -qm x",
            "`worktrees/ext/HEAD`",
        ),
        (
            "git commit -q --allow-empty -m x && git rev-parse HEAD > .git/MERGE_HEAD && git reset -q --hard HEAD~1 || true; \
             git rev-parse HEAD@{1} > .git/MERGE_HEAD",
            "`MERGE_HEAD`",
        ),
    ] {
        let (desk, project) = (Desk::new(), Repository::new());
        run(&desk, &project, WRITES, &[]).expect(0);
        let sandbox = desk.state().join("sandboxes/1/1");
        let identity = "git config user.name Pat && git config user.email pat@localhost && ";
        let done = std::process::Command::new("sh")
            .args(["-c", &format!("{identity}{script}")])
            .current_dir(&sandbox)
            .status();
        assert!(done.unwrap().success(), "{script}");
        stays(&desk, &format!("{name} in it holds commits that stand nowhere else"));
    }
}

#[test]
fn work_whose_branch_is_gone_stays_although_its_sandbox_stands_elsewhere_now() {
    let (desk, project) = (Desk::new(), Repository::new());
    let delivered = run(&desk, &project, WRITES, &[]).expect(0).json();
    let delivery = &delivered["delivery"];
    let sandbox = desk.state().join("sandboxes/1/1");
    crate::support::repository::git(
        &sandbox,
        ["checkout", "-q", "--detach", delivery["base"].as_str().unwrap()],
    );
    project.git(["branch", "-D", delivery["branch"].as_str().unwrap()]);
    stays(&desk, "in it holds commits that stand nowhere else");
}

#[test]
fn branches_of_the_project_that_are_in_a_sandbox_too_keep_nothing() {
    let (desk, project) = (Desk::new(), Repository::new());
    project.git(["branch", "other"]);
    project.git(["tag", "-a", "-m", "one", "v1"]);
    run(&desk, &project, WRITES, &[]).expect(0);
    crate::support::repository::git(&desk.state().join("sandboxes/1/1"), ["pack-refs", "--all"]);
    // The project goes on, and its branch no longer stands where the sandbox knows it.
    project.git(["checkout", "-q", "other"]);
    project.write("more.txt", "more");
    project.commit("more");
    assert_eq!(tasks(&collected(&desk, &[]), "removed"), ["t1"]);
}

#[test]
fn a_repository_that_an_agent_made_inside_stays() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, WRITES, &[]).expect(0);
    let inner = desk.state().join("sandboxes/1/1/inner");
    fs::create_dir(&inner).unwrap();
    crate::support::repository::git(&inner, ["init", "-q"]);
    stays(&desk, "`inner/` stands in it");
}

#[test]
fn what_no_branch_of_the_project_leads_to_any_more_stays() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, WRITES, &[]).expect(0);
    project.git(["branch", "-q", "-m", "callbox/t1-work", "mine"]);
    assert_eq!(tasks(&collected(&desk, &["--dry-run"]), "removed"), ["t1"], "any branch will do");
    project.git(["branch", "-q", "-D", "mine"]);
    stays(&desk, "stands on no branch or other reference of the project any more");
}

#[test]
fn what_stood_in_a_project_that_is_gone_stays() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, WRITES, &[]).expect(0);
    fs::rename(project.root(), project.beside("elsewhere")).unwrap();
    stays(&desk, "stands on no branch or other reference of the project any more");
}

#[test]
fn what_could_not_be_kept_stays() {
    let (desk, project) = (Desk::new(), Repository::new());
    project.git(["update-ref", "refs/callbox", "main"]);
    run(&desk, &project, &format!("{WRITES}\n- exit: 3"), &[]).expect(1);
    stays(&desk, "`a.txt` stands in it that was not handed over");
}

#[test]
fn a_sandbox_that_cannot_be_looked_at_stays() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, WRITES, &[]).expect(0);
    fs::remove_dir_all(desk.state().join("sandboxes/1/1/.git")).unwrap();
    stays(&desk, "what stands in its sandbox cannot be told");
}

#[test]
fn a_patch_stays_where_it_is_and_its_sandbox_goes() {
    let (desk, project) = (Desk::new(), Repository::new());
    let ended = run(&desk, &project, WRITES, &["--deliver", "patch"]).expect(0).json();
    let patch = ended["delivery"]["patch"].as_str().unwrap().to_owned();
    let moved = desk.path("moved.patch");
    fs::rename(&patch, &moved).unwrap();
    let done = collected(&desk, &[]);
    assert!(
        done["stays"][0]["reason"].as_str().unwrap().contains("the patch with its work is gone"),
        "{done}"
    );
    fs::rename(&moved, &patch).unwrap();
    assert_eq!(tasks(&collected(&desk, &[]), "removed"), ["t1"]);
    assert_eq!(standing(&desk, 1), [""; 0]);
    project.git(["am", "-q", &patch]);
    assert_eq!(tasks(&collected(&desk, &[]), "removed").len(), 0);
}

#[test]
fn work_that_was_merged_or_never_done_goes() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, WRITES, &["--deliver", "merge"]).expect(0);
    run(&desk, &project, "- print: x", &["--deliver", "none"]).expect(0);
    run(&desk, &project, "- exit: 1", &[]).expect(1);
    assert_eq!(tasks(&collected(&desk, &[]), "removed"), ["t1", "t2", "t3"]);
}
