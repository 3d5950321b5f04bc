//! Taking work into the branch that a person stands on: whole or not at all, with their own configuration
//! and none of their hooks.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::json;

use crate::support::{
    belongings::belongings,
    cli::{Call, Desk, Ended},
    processes::nothing_left,
    repository::Repository,
    small_disk::SmallDisk,
    supervised::write_agent,
};

const WORK: &str = "- write: {path: a.txt, text: theirs}\n- commit: begin\n- write: {path: b.txt, text: b}";

fn run(desk: &Desk, project: &Repository, steps: &str) -> Ended {
    let root = project.root().display().to_string();
    desk.callbox(["run", "-C", &root, "--agent", "scripted", "--name", "work", "--json", "-p", steps]).end()
}

/// A project in which `t1` delivered [`WORK`].
fn delivered() -> (Desk, Repository) {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, WORK).expect(0);
    (desk, project)
}

fn take(desk: &Desk) -> Call {
    desk.callbox(["take", "t1", "--json"])
}

/// Takes, which must be refused with `words` and change nothing.
#[track_caller]
fn refused(desk: &Desk, project: &Repository, words: &str) {
    let before = belongings(&project.root());
    let status = project.git(["status", "--porcelain"]);
    let _ = desk.callbox(["take", "t1"]).end().expect(1).says(words);
    assert_eq!(belongings(&project.root()), before, "{words}");
    assert_eq!(project.git(["status", "--porcelain"]), status);
    for left in ["MERGE_HEAD", "MERGE_MSG", "AUTO_MERGE", "index.lock"] {
        assert!(!project.root().join(".git").join(left).exists(), "{left} is left");
    }
}

#[test]
fn a_branch_that_stood_still_moves_on_to_the_work_and_has_it_then() {
    let (desk, project) = delivered();
    project.write("untracked.txt", "mine");
    let taken = take(&desk).end().expect(0).json();
    assert_eq!((&taken["branch"], &taken["way"]), (&json!("main"), &json!("fast_forward")), "{taken}");
    assert_eq!(project.git(["rev-parse", "main"]), project.git(["rev-parse", "callbox/t1-work"]));
    assert_eq!(taken["head"], project.git(["rev-parse", "HEAD"]));
    assert_eq!(fs::read_to_string(project.root().join("b.txt")).unwrap(), "b");
    assert_eq!(project.git(["status", "--porcelain"]), "?? untracked.txt");
    let before = belongings(&project.root());
    assert_eq!(take(&desk).end().expect(0).json()["way"], "nothing");
    assert_eq!(belongings(&project.root()), before);
    nothing_left(&desk);
}

#[test]
fn a_branch_that_went_on_is_joined_with_the_work_by_a_commit_of_the_persons() {
    let (desk, project) = delivered();
    project.write("c.txt", "mine");
    let own = project.commit("my own");
    // An identity of the person's own, from their home.
    for key in ["user.name", "user.email"] {
        project.git(["config", "--unset", key]);
    }
    desk.write(
        "home/.gitconfig",
        "[user]\n\tname = Home Person\n\temail = home@example.com\n[commit]\n\tgpgSign = true\n",
    );
    let taken = take(&desk).end().expect(0).json();
    assert_eq!(taken["way"], "merge", "{taken}");
    let parents = project.git(["log", "-1", "--format=%P", "main"]);
    assert_eq!(parents, format!("{own} {}", project.git(["rev-parse", "callbox/t1-work"])));
    let message = project.git(["log", "-1", "--format=%an %s %b", "main"]);
    assert!(message.starts_with("Home Person Merge branch 'callbox/t1-work'"), "{message}");
    assert!(message.contains("Callbox-Task: t1"), "{message}");
    assert_eq!(project.git(["status", "--porcelain"]), "");
    for file in ["a.txt", "b.txt", "c.txt"] {
        assert!(project.root().join(file).exists(), "{file}");
    }
    assert_eq!(project.git(["branch", "--merged", "main", "--list", "callbox/*"]).trim(), "callbox/t1-work");
}

#[test]
fn whoever_has_no_name_has_it_merged_by_callbox() {
    let (desk, project) = delivered();
    project.write("c.txt", "mine");
    project.commit("my own");
    for key in ["user.name", "user.email"] {
        project.git(["config", "--unset", key]);
    }
    project.git(["config", "user.useConfigOnly", "true"]);
    take(&desk).end().expect(0);
    assert_eq!(project.git(["log", "-1", "--format=%an", "main"]), "callbox");
}

#[test]
fn what_is_kept_behind_a_bad_end_is_taken_like_what_is_delivered() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, &format!("{WORK}\n- exit: 3")).expect(1);
    assert_eq!(take(&desk).end().expect(0).json()["way"], "fast_forward");
    assert_eq!(project.git(["rev-parse", "main"]), project.git(["rev-parse", "refs/callbox/x1"]));
    assert_eq!(desk.standing("t1"), "failed", "that it was taken makes no good end of it");
}

#[test]
fn a_take_that_cannot_be_whole_is_refused_and_changes_nothing() {
    let (desk, project) = delivered();
    // Changes of the person's, in the index and beside it.
    project.write("README.md", "mine");
    refused(&desk, &project, "`main` is checked out with 1 changed file");
    project.git(["add", "-A"]);
    refused(&desk, &project, "`main` is checked out with 1 changed file");
    project.git(["reset", "-q", "--hard"]);
    // A file that git does not know, where the work has one.
    project.write("b.txt", "precious");
    refused(&desk, &project, "b.txt");
    fs::remove_file(project.root().join("b.txt")).unwrap();
    // The same place, changed twice.
    project.write("a.txt", "mine");
    project.commit("my own");
    refused(&desk, &project, "the work does not merge with `main`: both changed `a.txt`");
    project.git(["checkout", "-q", "--detach", "HEAD~1"]);
    refused(&desk, &project, "its HEAD is detached");
    // Something that is not finished, without a changed file.
    project.git(["checkout", "-q", "main"]);
    project.git(["merge", "-q", "-s", "ours", "--no-commit", "callbox/t1-work"]);
    let _ = desk.callbox(["take", "t1"]).end().expect(1).says("a merge is not finished");
}

#[test]
fn a_file_that_git_ignores_is_the_persons_too() {
    let (desk, project) = delivered();
    // Git then has no reason of its own to write the index anew.
    project.git(["reset", "-q", "--hard"]);
    project.write(".git/info/exclude", "b.txt\n");
    project.write("b.txt", "secret");
    refused(&desk, &project, "b.txt");
    project.write("c.txt", "mine");
    project.commit("my own");
    project.git(["reset", "-q", "--hard"]);
    refused(&desk, &project, "b.txt");
    assert_eq!(fs::read_to_string(project.root().join("b.txt")).unwrap(), "secret");
}

#[test]
fn nothing_is_taken_between_the_steps_of_what_is_not_finished() {
    let (desk, project) = delivered();
    for (folder, words) in [
        ("rebase-apply", "a rebase or `git am` is not finished"),
        ("rebase-merge", "a rebase is not finished"),
        ("sequencer", "a cherry-pick or revert of several commits is not finished"),
    ] {
        let folder = project.root().join(".git").join(folder);
        fs::create_dir(&folder).unwrap();
        refused(&desk, &project, words);
        fs::remove_dir(&folder).unwrap();
    }
    take(&desk).end().expect(0);
}

#[test]
fn what_the_person_set_for_merges_does_not_keep_the_branch_where_it_was() {
    let (desk, project) = delivered();
    project.git(["config", "branch.main.mergeOptions", "--squash"]);
    assert_eq!(take(&desk).end().expect(0).json()["way"], "fast_forward");
    assert_eq!(project.git(["rev-parse", "main"]), project.git(["rev-parse", "callbox/t1-work"]));
    assert_eq!(project.git(["status", "--porcelain"]), "");
}

#[test]
fn a_branch_that_did_not_move_is_not_said_to_have_moved() {
    let (desk, project) = (Desk::new(), Repository::new());
    project.write(".gitattributes", "*.txt filter=switch\n");
    project.commit("attributes");
    project.git(["branch", "other"]);
    run(&desk, &project, WORK).expect(0);
    // Somebody checks another branch out, at the same commit, while git is at it.
    let filter = "[filter \"switch\"]\n\tsmudge = \"git symbolic-ref HEAD refs/heads/other; cat\"\n";
    desk.write("home/.gitconfig", filter);
    let _ = take(&desk).end().expect(1).says("git ended well, but `main` is not checked out at");
}

#[test]
fn a_history_that_cannot_be_read_answers_nothing() {
    let (desk, project) = delivered();
    let base = project.git(["rev-parse", "HEAD"]);
    project.write("c.txt", "mine");
    project.commit("my own");
    let (folder, file) = base.split_at(2);
    fs::remove_file(project.root().join(".git/objects").join(folder).join(file)).unwrap();
    let _ = take(&desk).end().expect(69).says("git merge-base");
}

#[test]
fn no_hook_of_the_project_runs_and_filters_of_the_persons_do() {
    let (desk, project) = (Desk::new(), Repository::new());
    project.write(".gitattributes", "*.txt filter=loud\n");
    project.commit("attributes");
    run(&desk, &project, WORK).expect(0);
    let ran = desk.path("ran");
    for hook in ["post-merge", "pre-merge-commit", "commit-msg", "post-checkout", "reference-transaction"] {
        let path = project.root().join(".git/hooks").join(hook);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\necho {hook} >> {}\n", ran.display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let filter = "[filter \"loud\"]\n\tsmudge = \"cat; echo smudged\"\n\tclean = \"cat\"\n";
    desk.write("home/.gitconfig", filter);
    take(&desk).end().expect(0);
    assert!(!ran.exists(), "{}", fs::read_to_string(&ran).unwrap_or_default());
    assert_eq!(fs::read_to_string(project.root().join("b.txt")).unwrap(), "bsmudged\n");
}

#[test]
fn a_task_without_work_and_a_project_that_is_gone_are_refused_with_their_own_status() {
    let (desk, project) = (Desk::new(), Repository::new());
    run(&desk, &project, "- summary: nothing").expect(0);
    let _ = desk.callbox(["take", "t1"]).end().expect(1).says("`t1` has no work to take");
    let _ = desk.callbox(["take", "t9"]).end().expect(1);
    let (desk, project) = delivered();
    drop(project);
    let _ = desk.callbox(["take", "t1"]).end().expect(69);
}

#[test]
fn a_filter_that_stops_git_halfway_leaves_everything_as_it_was_and_says_so() {
    let (desk, project) = (Desk::new(), Repository::new());
    project.write(".gitattributes", "*.txt filter=picky\n");
    for file in ["changed.txt", "gone/gone.txt", "place"] {
        project.write(file, "before");
    }
    project.commit("attributes");
    let steps = "- write: {path: a/new.txt, text: x}\n- write: {path: changed.txt, text: x}\n\
        - write: {path: z/stops.txt, text: x}\n- write: {path: z/zz.txt, text: x}";
    run(&desk, &project, steps).expect(0);
    let picky = |smudge: &str| {
        let filter = format!("[filter \"picky\"]\n\trequired\n\tclean = cat\n\tsmudge = \"{smudge}\"\n");
        desk.write("home/.gitconfig", &filter);
    };
    picky("case %f in z/stops.txt) exit 3;; esac; cat");
    refused(&desk, &project, "git stopped halfway through checking out what `main` was to move to");
    assert!(!project.root().join("a").exists() && !project.root().join("z").exists());
    // Also where a commit joins the two.
    project.write("mine.md", "mine");
    project.commit("my own");
    project.git(["status"]);
    refused(&desk, &project, "everything is as it was again");
    picky("cat");
    assert_eq!(take(&desk).end().expect(0).json()["way"], "merge");
    assert_eq!(project.git(["status", "--porcelain"]), "");
    assert!(fs::read_dir(desk.state().join("git")).map_or(true, |found| {
        found.flatten().all(|entry| !entry.file_name().to_string_lossy().starts_with("aside"))
    }));
}

#[test]
fn a_full_disk_that_stops_git_halfway_leaves_everything_as_it_was() {
    let Some((desk, volume)) = SmallDisk::of(24) else { return };
    desk.write("home/.config/callbox/config.toml", "[sandbox]\nkeep_free = \"1KiB\"\n");
    // The project stands on the small disk, beside the state directory.
    let (root, seen) = (desk.path("home/.local/state/callbox/project"), desk.state().join("project"));
    let root = root.to_str().unwrap();
    let lay = "git init -q -b main $0 && cd $0 && echo before >changed && git add -A && git -c user.name=Pat \
        -c user.email=pat@example.com commit -qm before";
    volume.within(&["sh", "-c", lay, root]);
    let grow =
        "for file in a changed z; do /usr/bin/head -c 1500000 /dev/zero | /usr/bin/tr '\\0' x >$file; done";
    write_agent(
        &desk.path("bin/claude"),
        &format!(
            "cat >/dev/null
begin
{grow}
done_well"
        ),
    );
    let run = ["run", "-C", root, "--agent", "claude", "--name", "work", "-p", "Grow."];
    desk.callbox(run).variable("ANTHROPIC_API_KEY", "sk-ant-dummy").end().expect(0);
    let status = || volume.within(&["git", "-C", root, "status", "--porcelain"]);
    let names = || fs::read_dir(&seen).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    let tip = volume.within(&["git", "-C", root, "rev-parse", "HEAD"]);
    volume.fill_but(2_200_000);
    let _ = desk.callbox(["take", "t1"]).end().expect(1).says("everything is as it was again");
    assert_eq!((status(), volume.within(&["git", "-C", root, "rev-parse", "HEAD"])), (String::new(), tip));
    assert_eq!(
        (names().len(), fs::read_to_string(seen.join("changed")).unwrap()),
        (2, "before\n".to_owned())
    );
    volume.make_room();
    desk.callbox(["take", "t1"]).end().expect(0);
    assert_eq!((status(), names().len()), (String::new(), 4));
}
