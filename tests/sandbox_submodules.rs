//! Submodules of a sandbox: filled from what the project has of them, and nothing of their own runs.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
};

use callbox::sandbox::{BaseRequest, Submodules};

use crate::support::{
    repository::{commit, git, write},
    workshop::Workshop,
};

/// A workshop whose project has the submodule `lib/one`, and that the submodule `deep`.
fn workshop() -> Workshop {
    let workshop = Workshop { submodules: Submodules::Filled, ..Workshop::new() };
    let project = &workshop.repository;
    for name in ["deep", "one"] {
        let upstream = project.beside(format!("up/{name}"));
        fs::create_dir_all(&upstream).unwrap();
        git(&upstream, ["init", "-q", "-b", "main"]);
        sign(&upstream);
        write(&upstream, "name.txt", name);
        commit(&upstream, name);
    }
    let allow = "protocol.file.allow=always";
    git(&project.beside("up/one"), ["-c", allow, "submodule", "--quiet", "add", "../deep", "deep"]);
    commit(&project.beside("up/one"), "with deep");
    let url = project.beside("up/one").display().to_string();
    project.git(["-c", allow, "submodule", "--quiet", "add", &url, "lib/one"]);
    project.git(["-c", allow, "submodule", "--quiet", "update", "--init", "--recursive"]);
    project.commit("with one");
    workshop
}

/// Somebody who may commit there.
fn sign(repository: &Path) {
    git(repository, ["config", "user.name", "Pat Person"]);
    git(repository, ["config", "user.email", "pat@example.com"]);
}

fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn submodules_stand_at_their_commits_with_their_true_upstreams() {
    let workshop = workshop();
    let project = &workshop.repository;
    // What is not committed in the project does not count.
    sign(&project.root().join("lib/one"));
    git(&project.root().join("lib/one"), ["commit", "-q", "--allow-empty", "-m", "further"]);
    let (sandbox, created) = workshop.sandbox_from("1", BaseRequest::Head).unwrap();
    assert_eq!(created.notes, Vec::<String>::new());
    let one = sandbox.directory.join("lib/one");
    assert_eq!(
        (text(one.join("name.txt")), text(one.join("deep/name.txt"))),
        ("one".to_owned(), "deep".to_owned())
    );
    let named = project.git(["rev-parse", "HEAD:lib/one"]);
    assert_eq!(git(&one, ["rev-parse", "HEAD"]), named);
    assert_eq!(git(&one, ["remote", "get-url", "origin"]), project.beside("up/one").display().to_string());
    assert_eq!(
        git(&one.join("deep"), ["remote", "get-url", "origin"]),
        project.beside("up/deep").display().to_string()
    );
    let status = sandbox.git(&["submodule", "status", "--recursive"]);
    assert!(status.lines().all(|line| !line.starts_with(['-', '+', 'U'])), "{status}");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    assert!(!workshop.state(&sandbox).changed);
    // Nothing of it leads back to the project.
    let config = text(sandbox.directory.join(".git/modules/lib/one/config"));
    assert!(!config.contains(&project.root().display().to_string()), "{config}");
}

#[test]
fn nothing_that_a_submodule_or_its_project_names_is_run() {
    let workshop = workshop();
    let project = &workshop.repository;
    let ran = project.beside("ran");
    let script = project.beside("script");
    fs::write(&script, format!("#!/bin/sh\necho x >> '{}'\ncat\n", ran.display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let own = project.root().join(".git/modules/lib/one");
    fs::create_dir_all(own.join("hooks")).unwrap();
    fs::copy(&script, own.join("hooks/post-checkout")).unwrap();
    for key in [
        "core.fsmonitor",
        "filter.x.smudge",
        "filter.x.process",
        "core.sshCommand",
        "uploadpack.packObjectsHook",
    ] {
        git(&project.root().join("lib/one"), ["config", key, script.to_str().unwrap()]);
    }
    write(&own, "info/attributes", "* filter=x\n");
    let before = fs::read(&ran).unwrap_or_default();
    let (sandbox, _) = workshop.sandbox_from("1", BaseRequest::Head).unwrap();
    workshop.state(&sandbox);
    assert_eq!(fs::read(&ran).unwrap_or_default(), before, "something of the submodule's own ran");
    assert_eq!(text(sandbox.directory.join("lib/one/name.txt")), "one");
    assert!(!text(sandbox.directory.join(".git/modules/lib/one/config")).contains("script"));
}

#[test]
fn what_the_project_has_not_filled_in_is_said_and_left_empty() {
    let workshop = workshop();
    let project = &workshop.repository;
    fs::remove_dir_all(project.root().join(".git/modules/lib/one/modules")).unwrap();
    let (sandbox, created) = workshop.sandbox_from("1", BaseRequest::Head).unwrap();
    let said =
        "the project has not filled in the submodule `lib/one/deep`, or not its commit, so it is empty here";
    assert_eq!(created.notes, [said]);
    assert!(sandbox.directory.join("lib/one/name.txt").exists());
    assert!(fs::read_dir(sandbox.directory.join("lib/one/deep")).unwrap().next().is_none());
}

#[test]
fn no_link_on_the_way_to_a_submodule_leads_to_another_repository() {
    let workshop = workshop();
    let project = &workshop.repository;
    let (root, elsewhere) = (project.root(), project.beside("elsewhere"));
    // What git has of it stands behind a link in the place of the folder above it.
    fs::rename(root.join(".git/modules/lib"), &elsewhere).unwrap();
    symlink(&elsewhere, root.join(".git/modules/lib")).unwrap();
    let empty =
        "the project has not filled in the submodule `lib/one`, or not its commit, so it is empty here";
    let notes = |name| workshop.sandbox_from(name, BaseRequest::Head).unwrap().1.notes;
    assert_eq!(notes("1"), [empty]);
    // And so does the submodule itself, with a git directory of its own.
    fs::remove_dir_all(root.join("lib/one")).unwrap();
    fs::create_dir(project.beside("more")).unwrap();
    git(&project.beside("up/one"), ["clone", "-q", ".", project.beside("more/one").to_str().unwrap()]);
    fs::remove_dir(root.join("lib")).unwrap();
    symlink(project.beside("more"), root.join("lib")).unwrap();
    assert_eq!(notes("2"), [empty]);
    // Without the links both count.
    fs::remove_file(root.join("lib")).unwrap();
    fs::rename(project.beside("more"), root.join("lib")).unwrap();
    assert_eq!(notes("3").len(), 1, "it has no `deep`");
    fs::remove_file(root.join(".git/modules/lib")).unwrap();
    fs::rename(&elsewhere, root.join(".git/modules/lib")).unwrap();
    assert_eq!(notes("4"), Vec::<String>::new());
}
