//! Handing work over: one branch more in the project, and nothing else.

use std::{collections::BTreeMap, fs, path::Path};

use callbox::sandbox::{BaseRequest, DeliverError, DeliverRequest, deliver};

use crate::support::{
    repository::{Repository, git},
    workshop::{BRANCH, Sandbox, Workshop},
};

/// Every file below `root` with its content, but for git's objects and callbox's branches.
fn listing(root: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if name == ".git/objects" || name.ends_with("heads/callbox") {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                walk(root, &path, found);
            } else {
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(root, root, &mut found);
    found
}

/// A sandbox with one commit.
fn worked(workshop: &Workshop) -> Sandbox {
    let sandbox = workshop.sandbox();
    sandbox.write("new", "one\ntwo\n");
    sandbox.write("README.md", "changed\n");
    sandbox.commit("work");
    sandbox
}

#[test]
fn work_becomes_a_branch_with_its_numbers() {
    for branch in ["main", "master", "weird/branch"] {
        let workshop = Workshop::of(Repository::on_branch(branch));
        let sandbox = worked(&workshop);
        let delivered = workshop.deliver(&sandbox);
        assert_eq!(delivered.notice, None);
        let delivery = delivered.delivery.unwrap();
        assert_eq!((&delivery.base, delivery.branch.as_deref()), (&sandbox.base, Some(BRANCH)));
        assert_eq!(delivery.head, sandbox.git(&["rev-parse", "HEAD"]));
        assert_eq!((delivery.commits, delivery.files), (1, 2));
        assert_eq!((delivery.insertions, delivery.deletions), (3, 1));
        assert_eq!(workshop.repository.git(["rev-parse", BRANCH]), delivery.head);
        workshop.repository.git(["fsck", "--strict", "--connectivity-only"]);
    }
}

#[test]
fn no_rule_of_the_project_that_rewrites_addresses_sends_the_work_elsewhere() {
    let workshop = Workshop::of(Repository::new());
    workshop.repository.git(["config", "url.file:///nonexistent/.insteadOf", "/"]);
    let sandbox = worked(&workshop);
    let delivery = workshop.deliver(&sandbox).delivery.unwrap();
    assert_eq!(workshop.repository.git(["rev-parse", BRANCH]), delivery.head);
}

#[test]
fn a_sandbox_without_a_commit_delivers_nothing() {
    let workshop = Workshop::new();
    workshop.repository.commit("second");
    let sandbox = workshop.sandbox();
    assert_eq!(workshop.deliver(&sandbox).delivery, None);
    sandbox.git(&["reset", "-q", "--hard", "HEAD~1"]);
    assert_eq!(workshop.deliver(&sandbox).delivery, None);
    assert_eq!(workshop.repository.git(["branch", "--list", "callbox/*"]), "");
}

#[test]
fn nothing_of_the_project_changes_but_its_objects_and_the_branch() {
    let workshop = Workshop::new();
    let repository = &workshop.repository;
    repository.write("staged", "x");
    repository.git(["add", "staged"]);
    repository.write("README.md", "not committed\n");
    repository.write("untracked", "x");
    repository.git(["branch", "other"]);
    repository.git(["fetch", "-q", ".", "main"]);
    for (key, value) in [
        ("fetch.prune", "true"),
        ("gc.auto", "1"),
        ("fetch.writeCommitGraph", "true"),
        ("fetch.recurseSubmodules", "true"),
        ("core.hooksPath", "hooks"),
    ] {
        repository.git(["config", key, value]);
    }
    let ran = repository.beside("ran");
    repository.write("hooks/reference-transaction", format!("#!/bin/sh\ntouch '{}'\n", ran.display()));
    let hook = repository.root().join("hooks/reference-transaction");
    fs::set_permissions(hook, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let before = listing(&repository.root());
    assert!(before.contains_key(".git/FETCH_HEAD") && before.contains_key(".git/logs/HEAD"));
    let sandbox = worked(&workshop);
    workshop.deliver(&sandbox).delivery.unwrap();
    workshop.deliver(&sandbox).delivery.unwrap();
    assert_eq!(listing(&repository.root()), before);
    assert!(!ran.exists());
    assert!(!repository.root().join(".git/objects/info/commit-graphs").exists());
}

#[test]
fn delivering_again_after_a_kill_finds_the_branch() {
    let workshop = Workshop::new();
    let sandbox = worked(&workshop);
    let first = workshop.deliver(&sandbox);
    // As it is when the kill came before anything was remembered, and as it is after.
    for forget in [true, false] {
        if forget {
            fs::remove_file(sandbox.directory.with_extension("git").join("delivered")).unwrap();
        }
        assert_eq!(workshop.deliver(&sandbox), first);
    }
    assert_eq!(workshop.repository.git(["branch", "--list", "callbox/*"]).lines().count(), 1);
}

#[test]
fn a_later_resume_moves_the_same_branch_on() {
    let workshop = Workshop::new();
    let sandbox = worked(&workshop);
    sandbox.write("left over", "x");
    workshop.commit_leftovers(&sandbox);
    let first = workshop.deliver(&sandbox).delivery.unwrap();
    sandbox.write("more", "x");
    sandbox.commit("more");
    let second = workshop.deliver(&sandbox);
    assert_eq!(second.notice, None);
    let second = second.delivery.unwrap();
    assert_eq!((second.branch.as_deref(), first.commits, second.commits), (Some(BRANCH), 2, 3));
    assert_eq!(workshop.repository.git(["rev-parse", BRANCH]), second.head);
}

#[test]
fn a_branch_the_person_moved_or_checked_out_is_left_alone_and_that_is_said() {
    let workshop = Workshop::new();
    let sandbox = worked(&workshop);
    workshop.deliver(&sandbox).delivery.unwrap();
    workshop.repository.git(["branch", "-f", BRANCH, "main"]);
    sandbox.commit("more");
    let delivered = workshop.deliver(&sandbox);
    let second = format!("{BRANCH}-2");
    assert_eq!(delivered.delivery.unwrap().branch.as_ref(), Some(&second));
    assert!(delivered.notice.unwrap().contains(&second));
    assert_eq!(workshop.repository.git(["rev-parse", BRANCH]), sandbox.base);

    workshop.repository.git(["checkout", "-q", &second]);
    let stands = workshop.repository.git(["rev-parse", "HEAD"]);
    sandbox.commit("even more");
    let delivery = workshop.deliver(&sandbox).delivery.unwrap();
    assert_eq!(delivery.branch, Some(format!("{BRANCH}-3")));
    assert_eq!(workshop.repository.git(["rev-parse", "HEAD"]), stands);
    assert_eq!(workshop.repository.git(["status", "--porcelain"]), "");

    // And from there on it is the third that goes on.
    sandbox.commit("the last");
    assert_eq!(workshop.deliver(&sandbox).delivery.unwrap().branch, delivery.branch);
}

#[test]
fn a_branch_checked_out_in_a_linked_work_tree_is_left_alone() {
    let workshop = Workshop::new();
    let sandbox = worked(&workshop);
    workshop.deliver(&sandbox).delivery.unwrap();
    let linked = workshop.repository.beside("linked");
    workshop.repository.git(["worktree", "add", "-q", linked.to_str().unwrap(), BRANCH]);
    sandbox.commit("more");
    assert_eq!(workshop.deliver(&sandbox).delivery.unwrap().branch, Some(format!("{BRANCH}-2")));
    assert_eq!(git(&linked, ["status", "--porcelain"]), "");
}

#[test]
fn a_branch_that_was_there_with_other_content_is_left_alone() {
    let workshop = Workshop::new();
    workshop.repository.git(["branch", BRANCH]);
    workshop.repository.git(["branch", &format!("{BRANCH}-2/deeper")]);
    let sandbox = worked(&workshop);
    assert_eq!(workshop.deliver(&sandbox).delivery.unwrap().branch, Some(format!("{BRANCH}-3")));
}

#[test]
fn an_agent_that_rewrote_what_was_delivered_gets_another_branch() {
    let workshop = Workshop::new();
    let sandbox = worked(&workshop);
    let first = workshop.deliver(&sandbox).delivery.unwrap();
    sandbox.git(&["commit", "-q", "--amend", "-m", "rewritten"]);
    let delivered = workshop.deliver(&sandbox);
    assert_eq!(delivered.delivery.unwrap().branch, Some(format!("{BRANCH}-2")));
    assert!(delivered.notice.is_some());
    assert_eq!(workshop.repository.git(["rev-parse", BRANCH]), first.head);
}

#[test]
fn a_fresh_sandbox_of_the_same_task_gets_another_branch() {
    let workshop = Workshop::new();
    workshop.deliver(&worked(&workshop)).delivery.unwrap();
    let (fresh, _) = workshop.sandbox_from("2", BaseRequest::Head).unwrap();
    fresh.commit("again");
    assert_eq!(workshop.deliver(&fresh).delivery.unwrap().branch, Some(format!("{BRANCH}-2")));
}

#[test]
fn work_from_linked_work_trees_and_detached_heads_is_delivered() {
    let repository = Repository::new();
    let linked = repository.beside("linked");
    repository.git(["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
    let workshop = Workshop::of(repository);
    let sandbox = workshop.sandbox_of(&linked);
    let head = sandbox.commit("work");
    let (base, branch) = (&*sandbox.base, BRANCH);
    let request = DeliverRequest { project: &linked, sandbox: &sandbox.directory, base, head: &head, branch };
    deliver(&workshop.git, &request).unwrap();
    assert_eq!(git(&linked, ["rev-parse", BRANCH]), head);
}

#[test]
fn merged_predecessors_are_delivered_with_what_came_of_them() {
    let workshop = Workshop::new();
    let mut heads = Vec::new();
    for name in ["1", "2"] {
        let (sandbox, _) = workshop.sandbox_from(name, BaseRequest::Head).unwrap();
        sandbox.write(name, name);
        sandbox.commit(name);
        heads.push(workshop.deliver(&sandbox).delivery.unwrap().head);
    }
    let (sandbox, _) = workshop.sandbox_from("3", BaseRequest::After(&heads)).unwrap();
    assert_eq!(workshop.deliver(&sandbox).delivery, None);
    sandbox.write("3", "3");
    sandbox.commit("3");
    let delivery = workshop.deliver(&sandbox).delivery.unwrap();
    assert_eq!((delivery.base, delivery.commits, delivery.files), (sandbox.base, 1, 1));
    let names = workshop.repository.git(["ls-tree", "--name-only", &delivery.branch.unwrap()]);
    assert_eq!(names, "1\n2\n3\nREADME.md\nsrc");
}

#[test]
fn a_project_that_is_gone_or_cannot_be_written_is_an_error_and_the_sandbox_is_kept() {
    let workshop = Workshop::new();
    let sandbox = worked(&workshop);
    let head = workshop.state(&sandbox).head;
    let gone = workshop.repository.beside("gone");
    let inside = workshop.repository.root().join("src");
    for project in [gone, inside] {
        let (base, branch) = (&*sandbox.base, BRANCH);
        let request =
            DeliverRequest { project: &project, sandbox: &sandbox.directory, base, head: &head, branch };
        let error = deliver(&workshop.git, &request).unwrap_err();
        assert!(matches!(error, DeliverError::Git(_)), "{error:?}");
    }
    assert_eq!(workshop.state(&sandbox).head, head);
    assert_eq!(workshop.repository.git(["branch", "--list", "callbox/*"]), "");
}

#[test]
fn a_branch_called_like_the_folder_of_the_wanted_one_is_named_as_what_is_in_the_way() {
    let workshop = Workshop::new();
    let sandbox = worked(&workshop);
    workshop.repository.git(["branch", "callbox"]);
    let head = workshop.state(&sandbox).head;
    let request = DeliverRequest {
        project: &workshop.repository.root(),
        sandbox: &sandbox.directory,
        base: &sandbox.base,
        head: &head,
        branch: BRANCH,
    };
    let error = deliver(&workshop.git, &request).unwrap_err();
    let DeliverError::InTheWay { existing, .. } = &error else { panic!("{error:?}") };
    assert_eq!(existing, "branch `callbox`");
    workshop.repository.git(["branch", "-m", "callbox", "other"]);
    assert!(deliver(&workshop.git, &request).unwrap().delivery.is_some());
}

#[test]
fn a_branch_that_does_not_stand_where_git_said_is_an_error() {
    let workshop = Workshop::new();
    let sandbox = worked(&workshop);
    // A git that says it fetched, and did not.
    let folder = workshop.repository.beside("lying");
    fs::create_dir(&folder).unwrap();
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("git"))
        .find(|git| git.is_file())
        .unwrap();
    let script = format!("#!/bin/sh\n[ \"$1\" = fetch ] && exit 0\nexec '{}' \"$@\"\n", real.display());
    fs::write(folder.join("git"), script).unwrap();
    fs::set_permissions(folder.join("git"), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let git = workshop.git.clone().searching(path);
    let head = workshop.state(&sandbox).head;
    let request = DeliverRequest {
        project: &workshop.repository.root(),
        sandbox: &sandbox.directory,
        base: &sandbox.base,
        head: &head,
        branch: BRANCH,
    };
    let error = deliver(&git, &request).unwrap_err();
    assert!(matches!(error, DeliverError::NotThere { .. }), "{error:?}");
}
