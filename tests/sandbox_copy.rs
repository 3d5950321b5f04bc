//! What a sandbox gets of its project besides a clone: files that git does not have, and none that lie outside.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
};

use callbox::sandbox::BaseRequest;

use crate::support::workshop::{Sandbox, Workshop};

/// A workshop whose sandboxes get `copy`.
fn copying(copy: &[&str]) -> Workshop {
    Workshop { copy: copy.iter().map(Into::into).collect(), ..Workshop::new() }
}

fn made(workshop: &Workshop) -> (Sandbox, Vec<String>) {
    let (sandbox, created) = workshop.sandbox_from("1", BaseRequest::Head).unwrap();
    (sandbox, created.notes)
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    fs::read_to_string(sandbox.directory.join(path)).unwrap()
}

#[test]
fn what_git_does_not_have_is_copied_and_neither_committed_nor_handed_over() {
    let workshop = copying(&[".env", "node_modules", "local conf", "src", "gone"]);
    let project = &workshop.repository;
    project.write(".gitignore", ".env\nnode_modules/\n");
    project.commit("ignore");
    project.write(".env", "KEY=1");
    project.write("node_modules/tool/run.js", "run");
    fs::create_dir(project.root().join("node_modules/.bin")).unwrap();
    symlink("../tool/run.js", project.root().join("node_modules/.bin/tool")).unwrap();
    let tool = project.root().join("node_modules/tool/run.js");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    project.write("local conf", "mine");
    project.write("src/lib.rs", "pub fn half() {}\n");
    project.write("src/new.rs", "new");

    let (sandbox, notes) = made(&workshop);
    assert_eq!(
        (text(&sandbox, ".env"), text(&sandbox, "local conf")),
        ("KEY=1".to_owned(), "mine".to_owned())
    );
    assert_eq!(text(&sandbox, "node_modules/.bin/tool"), "run");
    assert!(fs::symlink_metadata(sandbox.directory.join("node_modules/.bin/tool")).unwrap().is_symlink());
    let mode = fs::metadata(sandbox.directory.join("node_modules/tool/run.js")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    // What was committed stays as it was committed; what stands beside it comes along.
    assert_eq!(
        (text(&sandbox, "src/lib.rs"), text(&sandbox, "src/new.rs")),
        ("pub fn one() {}\n".to_owned(), "new".to_owned())
    );
    assert_eq!(notes, ["`gone` is not in the project and was not copied"]);

    let state = workshop.state(&sandbox);
    assert!(!state.changed && state.uncommitted == 0, "{state:?}");
    sandbox.git(&["add", "-A"]);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    sandbox.write("work.txt", "work");
    workshop.commit_leftovers(&sandbox);
    assert_eq!(sandbox.git(&["show", "--format=", "--name-only", "HEAD"]), "work.txt");
}

#[test]
fn no_link_leads_a_copy_out_of_the_project() {
    let workshop = copying(&["links", "folder/inside", "file"]);
    let project = &workshop.repository;
    let outside = project.beside("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("inside"), "secret").unwrap();
    fs::create_dir(project.root().join("links")).unwrap();
    for (name, target) in [
        ("absolute", outside.join("inside")),
        ("up", "../../outside/inside".into()),
        ("within", "absolute".into()),
    ] {
        symlink(target, project.root().join("links").join(name)).unwrap();
    }
    symlink(&outside, project.root().join("folder")).unwrap();
    symlink(outside.join("inside"), project.root().join("file")).unwrap();
    let (sandbox, notes) = made(&workshop);
    let found: Vec<_> = fs::read_dir(sandbox.directory.join("links"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(found, ["within"]);
    for absent in ["folder", "folder/inside", "file"] {
        assert!(fs::symlink_metadata(sandbox.directory.join(absent)).is_err(), "{absent}");
    }
    let expected = [
        "`folder/inside` lies behind a symbolic link and was not copied",
        "3 symbolic links lead out of the project and were not copied",
    ];
    assert_eq!(notes, expected);
}

#[test]
fn what_worktreeinclude_names_is_copied_where_git_ignores_it() {
    let workshop = Workshop::new();
    let project = &workshop.repository;
    project.write(".gitignore", ".env*\nsecrets/\n");
    project.write(".worktreeinclude", ".env*\n!.env.old\nsecrets/*.pem\nnew.txt\n");
    project.commit("include");
    for path in [".env", ".env.old", "secrets/a.pem", "secrets/b.txt", "new.txt"] {
        project.write(path, path);
    }
    let (sandbox, notes) = made(&workshop);
    let there = |path: &&str| sandbox.directory.join(path).exists();
    let all = [".env", ".env.old", "secrets/a.pem", "secrets/b.txt", "new.txt"];
    assert_eq!(all.into_iter().filter(there).collect::<Vec<_>>(), [".env", "secrets/a.pem"]);
    assert_eq!(notes, ["2 files are copied that `.worktreeinclude` names"]);
    assert!(!workshop.state(&sandbox).changed);
}
