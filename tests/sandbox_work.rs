//! What an agent did, committed or not, as callbox sees it, commits it and shows it.

use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _, fs::symlink},
    path::Path,
};

use callbox::sandbox::{DIFF_LIMIT, Work, WorkError, diff, diff_stat, state};

use crate::support::{
    repository::{Repository, git},
    workshop::Workshop,
};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_sandbox_nobody_touched_is_unchanged() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    let state = workshop.state(&sandbox);
    assert_eq!((state.head, state.changed), (sandbox.base.clone(), false));
    assert_eq!((state.uncommitted, state.commits), (0, 0));
    let leftovers = workshop.commit_leftovers(&sandbox);
    assert_eq!((leftovers.head, leftovers.files), (sandbox.base.clone(), 0));
}

#[test]
fn commits_and_uncommitted_files_are_counted() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    sandbox.write("new", "x");
    let head = sandbox.commit("one");
    sandbox.write("README.md", "changed");
    sandbox.write("deep/new", "x");
    fs::remove_file(sandbox.directory.join("src/lib.rs")).unwrap();
    let state = workshop.state(&sandbox);
    assert_eq!(state.head, head);
    assert_eq!((state.changed, state.uncommitted, state.commits), (true, 3, 1));
}

#[test]
fn a_file_that_was_only_touched_is_not_changed() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    sandbox.write("README.md", "a project\n");
    assert!(!workshop.state(&sandbox).changed);
    sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
    assert!(!workshop.state(&sandbox).changed);
}

#[test]
fn a_change_of_equal_length_right_after_the_clone_is_seen() {
    let workshop = Workshop::new();
    for number in 0..5 {
        let base = callbox::sandbox::BaseRequest::Head;
        let (sandbox, _) = workshop.sandbox_from(&number.to_string(), base).unwrap();
        sandbox.write("README.md", "A project\n");
        assert_eq!(workshop.state(&sandbox).uncommitted, 1);
    }
}

#[test]
fn left_over_changes_are_committed_as_callbox_and_the_agent_finds_itself_there() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    sandbox.write("new", "x");
    let before = sandbox.commit("the agent's");
    sandbox.write("README.md", "changed");
    sandbox.write("deep/new", "x");
    fs::remove_file(sandbox.directory.join("src/lib.rs")).unwrap();
    sandbox.git(&["add", "README.md"]);
    let leftovers = workshop.commit_leftovers(&sandbox);
    assert_eq!((leftovers.files, leftovers.notes), (3, vec![]));
    assert_eq!(sandbox.git(&["rev-parse", "HEAD"]), leftovers.head);
    assert_eq!(sandbox.git(&["rev-parse", "HEAD~1"]), before);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    assert_eq!(
        sandbox.git(&["log", "-1", "--format=%an <%ae>%n%cn <%ce>%n%s%n%(trailers:key=Callbox-Task)"]),
        "callbox <callbox@localhost>\ncallbox <callbox@localhost>\nLeft-over changes of task t12\n\
        Callbox-Task: t12"
    );
    let names = sandbox.git(&["diff", "--name-status", "--no-renames", "HEAD~1", "HEAD"]);
    assert_eq!(names, "M\tREADME.md\nA\tdeep/new\nD\tsrc/lib.rs");
    sandbox.git(&["fsck", "--strict"]);
}

#[test]
fn committing_left_overs_again_makes_no_second_commit() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    sandbox.write("new", "x");
    let first = workshop.commit_leftovers(&sandbox);
    let second = workshop.commit_leftovers(&sandbox);
    assert_eq!((second.head, second.files), (first.head.clone(), 0));
    let state = workshop.state(&sandbox);
    assert_eq!((state.head, state.uncommitted, state.commits), (first.head, 0, 1));
}

#[test]
fn a_kill_before_the_branch_moved_leads_to_one_commit() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    sandbox.write("new", "x");
    let first = workshop.commit_leftovers(&sandbox);
    // As it was before the last step: objects and index are there, the branch is not moved.
    sandbox.git(&["update-ref", "HEAD", &sandbox.base]);
    let second = workshop.commit_leftovers(&sandbox);
    assert_eq!(second.files, 1);
    assert_eq!(workshop.state(&sandbox).commits, 1);
    assert_eq!(git(&sandbox.directory, ["diff", "--stat", &first.head, &second.head]), "");
}

#[test]
fn left_overs_of_a_detached_head_are_committed() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    sandbox.git(&["checkout", "-q", "--detach"]);
    sandbox.write("new", "x");
    let leftovers = workshop.commit_leftovers(&sandbox);
    assert_eq!(sandbox.git(&["rev-parse", "HEAD"]), leftovers.head);
    assert_eq!(sandbox.git(&["status", "--porcelain", "--branch"]), "## HEAD (no branch)");
}

#[test]
fn ignored_files_stay_out_whoever_ignores_them() {
    let workshop = Workshop::new();
    workshop.repository.write(".gitignore", "by-project\n");
    workshop.repository.commit("ignore");
    workshop.repository.write(".git/info/exclude", "by-person-here\n");
    let home = workshop.repository.beside("home");
    fs::create_dir_all(home.join(".config/git")).unwrap();
    fs::write(home.join(".config/git/ignore"), "by-person-everywhere\n").unwrap();
    let workshop = Workshop { git: workshop.git.clone().of_person(home), ..workshop };
    let sandbox = workshop.sandbox();
    for name in ["by-project", "by-person-here", "by-person-everywhere", "work"] {
        sandbox.write(name, "x");
    }
    assert_eq!(workshop.commit_leftovers(&sandbox).files, 1);
    assert_eq!(sandbox.git(&["diff", "--name-only", "HEAD~1"]), "work");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "?? by-person-everywhere");
}

#[test]
fn odd_names_modes_and_links_are_committed_as_they_are() {
    let workshop = Workshop::new();
    let outside = workshop.repository.beside("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret"), "a secret").unwrap();
    let sandbox = workshop.sandbox();
    let deep = "d".repeat(200);
    let long = Path::new(&deep).join(&deep).join(&deep).join(&deep).join("end");
    let names: [&[u8]; 8] = [
        b"new\nline",
        b"tab\tquote\"",
        b"back\\slash",
        b"not utf-8 \xff\xfe",
        b"-dash",
        b":(glob)*",
        b"\x1b[31m",
        b"a*b?",
    ];
    for name in names {
        sandbox.write(OsStr::from_bytes(name), "x");
    }
    sandbox.write(&long, "far");
    sandbox.write("run", "#!/bin/sh\n");
    fs::set_permissions(sandbox.directory.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink(outside.join("secret"), sandbox.directory.join("link")).unwrap();
    symlink(&outside, sandbox.directory.join("folder-link")).unwrap();
    symlink("/nonexistent", sandbox.directory.join("dangling")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, sandbox.directory.join("fifo"), rustix::fs::Mode::RWXU).unwrap();
    let leftovers = workshop.commit_leftovers(&sandbox);
    assert_eq!(leftovers.files, 13);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    let tree = sandbox.git(&["ls-tree", "-r", "-z", "HEAD"]);
    for name in names {
        assert!(tree.contains(&*String::from_utf8_lossy(name)), "{tree}");
    }
    assert!(tree.contains(long.to_str().unwrap()));
    for link in ["link", "folder-link", "dangling"] {
        let entry = sandbox.git(&["ls-tree", "HEAD", link]);
        assert!(entry.starts_with("120000 blob"), "{entry}");
    }
    assert!(sandbox.git(&["ls-tree", "HEAD", "run"]).starts_with("100755"));
    assert_eq!(sandbox.git(&["cat-file", "-p", "HEAD:link"]), outside.join("secret").to_str().unwrap());
}

#[test]
fn a_folder_that_became_a_link_outwards_takes_nothing_from_there() {
    let workshop = Workshop::new();
    let outside = workshop.repository.beside("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("lib.rs"), "a secret").unwrap();
    let sandbox = workshop.sandbox();
    fs::remove_dir_all(sandbox.directory.join("src")).unwrap();
    symlink(&outside, sandbox.directory.join("src")).unwrap();
    workshop.commit_leftovers(&sandbox);
    assert_eq!(
        sandbox.git(&["diff", "--name-status", "--no-renames", "HEAD~1", "HEAD"]),
        "A\tsrc\nD\tsrc/lib.rs"
    );
    assert!(sandbox.git(&["ls-tree", "HEAD", "src"]).starts_with("120000 blob"));
}

#[test]
fn an_ignored_link_in_the_place_of_a_folder_and_a_folder_in_that_of_a_file_are_committed() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    fs::remove_dir_all(sandbox.directory.join("src")).unwrap();
    symlink("/etc", sandbox.directory.join("src")).unwrap();
    sandbox.write(".gitignore", "src\n");
    fs::remove_file(sandbox.directory.join("README.md")).unwrap();
    sandbox.write("README.md/now-a-folder", "x");
    workshop.commit_leftovers(&sandbox);
    let names = sandbox.git(&["diff", "--name-status", "--no-renames", "HEAD~1", "HEAD"]);
    assert_eq!(names, "A\t.gitignore\nD\tREADME.md\nA\tREADME.md/now-a-folder\nD\tsrc/lib.rs");
}

#[test]
fn repositories_inside_the_sandbox_are_left_out_and_named() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    let inner = sandbox.directory.join("inner");
    workshop.repository.git(["clone", "-q", ".", inner.to_str().unwrap()]);
    fs::create_dir(sandbox.directory.join("unborn")).unwrap();
    git(&sandbox.directory.join("unborn"), ["init", "-q"]);
    sandbox.write("unborn/file", "x");
    sandbox.write("work", "x");
    let leftovers = workshop.commit_leftovers(&sandbox);
    assert_eq!(leftovers.files, 1);
    assert_eq!(
        leftovers.notes,
        [
            "`inner/` is a repository of its own and was not committed",
            "`unborn/` is a repository of its own and was not committed",
        ]
    );
}

#[test]
fn an_agent_in_the_middle_of_a_conflict_leaves_its_files_as_they_are() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    sandbox.git(&["checkout", "-q", "-b", "other"]);
    sandbox.write("README.md", "theirs\n");
    sandbox.commit("theirs");
    sandbox.git(&["checkout", "-q", "-"]);
    sandbox.write("README.md", "ours\n");
    sandbox.commit("ours");
    let merge = crate::support::repository::try_git(&sandbox.directory, ["merge", "other"]);
    assert!(!merge.status.success());
    assert_eq!(workshop.commit_leftovers(&sandbox).files, 1);
    assert!(sandbox.git(&["show", "HEAD:README.md"]).contains("<<<<<<<"));
}

#[test]
fn work_shows_whole_whether_committed_or_not() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    sandbox.write("committed", "one\n");
    sandbox.commit("one");
    sandbox.write("new", "two\n");
    sandbox.write("README.md", "three\n");
    let work = Work::Sandbox { directory: &sandbox.directory, base: &sandbox.base };
    let patch = diff(&workshop.git, work).unwrap();
    assert!(patch.complete);
    for line in ["+one", "+two", "-a project", "+three", "+++ b/new"] {
        assert!(text(&patch.bytes).contains(line), "{}", text(&patch.bytes));
    }
    let stat = diff_stat(&workshop.git, work).unwrap();
    assert!(text(&stat.bytes).contains("3 files changed, 3 insertions(+), 1 deletion(-)"));
    // Looking commits nothing.
    assert_eq!(workshop.state(&sandbox).uncommitted, 2);
    assert!(sandbox.git(&["status", "--porcelain"]).contains("?? new"));

    workshop.commit_leftovers(&sandbox);
    let delivery = workshop.deliver(&sandbox).delivery.unwrap();
    let root = workshop.repository.root();
    let delivered = Work::Delivered { project: &root, base: &delivery.base, head: &delivery.head };
    assert_eq!(diff(&workshop.git, delivered).unwrap(), patch);
    assert_eq!(diff_stat(&workshop.git, delivered).unwrap(), stat);
}

#[test]
fn an_endless_difference_is_cut_off_and_that_is_said() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    sandbox.write("large", "0123456789abcdef\n".repeat(1 << 20));
    let work = Work::Sandbox { directory: &sandbox.directory, base: &sandbox.base };
    let patch = diff(&workshop.git, work).unwrap();
    assert_eq!((patch.bytes.len(), patch.complete), (DIFF_LIMIT, false));
}

#[test]
fn a_view_that_was_lost_is_made_again() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    fs::remove_dir_all(sandbox.directory.with_extension("git")).unwrap();
    assert!(!workshop.state(&sandbox).changed);
    sandbox.write("new", "x");
    assert_eq!(workshop.commit_leftovers(&sandbox).files, 1);
    assert_eq!(workshop.deliver(&sandbox).delivery.unwrap().commits, 1);
}

#[test]
fn a_state_directory_that_moved_is_as_good_as_before() {
    let workshop = Workshop::new();
    let mut sandbox = workshop.sandbox();
    sandbox.write("new", "x");
    let moved = workshop.repository.beside("moved");
    fs::rename(workshop.repository.beside("sandboxes"), &moved).unwrap();
    sandbox.directory = moved.join("12/1");
    assert_eq!(workshop.state(&sandbox).uncommitted, 1);
    workshop.commit_leftovers(&sandbox);
    assert_eq!(workshop.deliver(&sandbox).delivery.unwrap().files, 1);
}

#[test]
fn a_sandbox_without_its_git_is_an_error_and_never_unchanged() {
    let workshop = Workshop::new();
    let sandbox = workshop.sandbox();
    fs::rename(sandbox.directory.join(".git"), sandbox.directory.join("moved")).unwrap();
    let look = || state(&workshop.git, &sandbox.directory, &sandbox.base);
    assert!(matches!(look(), Err(WorkError::NoGit { .. })));
    fs::remove_dir_all(&sandbox.directory).unwrap();
    assert!(matches!(look(), Err(WorkError::Gone { .. })));
}

#[test]
fn work_on_a_shallow_project_is_committed_and_delivered() {
    let repository = Repository::new();
    repository.commit("second");
    let shallow = repository.beside("shallow");
    let url = format!("file://{}", repository.root().display());
    repository.git(["clone", "-q", "--depth=1", &url, shallow.to_str().unwrap()]);
    let workshop = Workshop::of(repository);
    let sandbox = workshop.sandbox_of(&shallow);
    sandbox.write("new", "x");
    let leftovers = workshop.commit_leftovers(&sandbox);
    let request = callbox::sandbox::DeliverRequest {
        project: &shallow,
        sandbox: &sandbox.directory,
        base: &sandbox.base,
        head: &leftovers.head,
        branch: "callbox/1-x",
    };
    let delivery = callbox::sandbox::deliver(&workshop.git, &request).unwrap().delivery.unwrap();
    assert_eq!((delivery.commits, delivery.files), (1, 1));
    assert_eq!(git(&shallow, ["rev-list", "--count", "callbox/1-x"]), "2");
    git(&shallow, ["fsck", "--strict"]);
}
