//! Which projects a sandbox can be made of, and what a person is told about them.

use std::{fs, os::unix::fs::symlink, path::Path};

use callbox::sandbox::{Git, GitVersion, Prepared, Project, ProjectError, Submodules, inspect};

use crate::support::repository::{self, Repository};

fn look(repository: &Repository, path: &Path) -> Result<Project, ProjectError> {
    let git = Git::new(&repository.beside("config")).unwrap().of_nobody();
    inspect(&git, path)
}

#[test]
fn the_installed_git_is_new_enough() {
    let repository = Repository::new();
    let git = Git::new(&repository.beside("config")).unwrap();
    assert!(git.version().unwrap() >= GitVersion::MINIMUM);
}

#[test]
fn a_missing_git_is_said_and_nothing_else_is_guessed() {
    let repository = Repository::new();
    let git = Git::new(&repository.beside("config")).unwrap().searching("/nonexistent");
    assert_eq!(git.version().unwrap_err().to_string(), "`git` was not found on PATH");
    let error = inspect(&git, &repository.root()).unwrap_err();
    assert_eq!(error.hint(), Some("install git"));
}

#[test]
fn a_project_is_found_from_any_folder_of_its_work_tree() {
    let repository = Repository::on_branch("weird/branch");
    let project = look(&repository, &repository.root().join("src")).unwrap();
    assert_eq!(project.root, repository.root());
    assert_eq!(project.common, repository.root().join(".git"));
    assert_eq!(project.head, repository.git(["rev-parse", "HEAD"]));
    assert_eq!(project.branch.as_deref(), Some("weird/branch"));
    assert!(!project.shallow);
    assert_eq!((project.uncommitted, project.lacks), (0, vec![]));
}

#[test]
fn a_project_whose_path_holds_a_line_end_is_found() {
    let repository = Repository::new();
    let odd = repository.beside("odd\nname");
    repository.git(["clone", "-q", ".", odd.to_str().unwrap()]);
    assert_eq!(look(&repository, &odd.join("src")).unwrap().root, odd);
}

#[test]
fn linked_work_trees_detached_heads_and_shallow_clones_are_projects() {
    let repository = Repository::new();
    repository.commit("second");
    let linked = repository.beside("linked");
    repository.git(["worktree", "add", "-q", "--detach", linked.to_str().unwrap(), "HEAD~1"]);
    let project = look(&repository, &linked).unwrap();
    assert_eq!((project.root, project.branch), (linked.clone(), None));
    assert_eq!(project.common, repository.root().join(".git"));
    assert_eq!(project.head, repository.git(["rev-parse", "HEAD~1"]));

    let shallow = repository.beside("shallow");
    let url = format!("file://{}", repository.root().display());
    repository.git(["clone", "-q", "--depth=1", &url, shallow.to_str().unwrap()]);
    assert!(look(&repository, &shallow).unwrap().shallow);
}

#[test]
fn a_project_of_another_user_is_a_project() {
    let repository = Repository::new();
    if std::os::unix::fs::chown(repository.root().join(".git"), Some(65_534), None).is_err() {
        // Only root can give files away, and only then is there anything to see.
        return;
    }
    std::os::unix::fs::chown(repository.root(), Some(65_534), None).unwrap();
    assert_eq!(look(&repository, &repository.root()).unwrap().branch.as_deref(), Some("main"));
}

#[test]
fn uncommitted_files_are_counted_and_what_a_clone_lacks_is_said() {
    let repository = Repository::new();
    repository.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    repository.write(".gitmodules", "");
    repository.write("package-lock.json", "{}");
    repository.write(".gitignore", ".env\n");
    repository.commit("what a clone lacks");
    repository.write(".env", "KEY=1");
    repository.write("README.md", "changed");
    repository.write("new/one", "");
    repository.write("new/two", "");
    let project = look(&repository, &repository.root()).unwrap();
    assert_eq!(project.uncommitted, 3);
    assert_eq!(
        project.notes(Prepared::default()),
        [
            "3 changed files are not included",
            "submodules are not filled in: `submodules: yes` does that",
            "files kept by Git LFS are pointers",
            "`.env` is not copied: `copy: [.env]` does that",
            "the packages in `package-lock.json` are not installed: `setup` names a command that does that",
        ]
    );
    // What the task sets up itself is not said to be missing.
    assert_eq!(
        project.notes(Prepared { setup: Some("npm ci"), ..Prepared::default() }),
        ["3 changed files are not included"]
    );
    let copy = [".env".into()];
    let prepared = Prepared { copy: &copy, submodules: Submodules::Filled, ..Prepared::default() };
    assert_eq!(project.notes(prepared).len(), 3);
    let prepared = Prepared { setup: Some("npm ci"), ..Prepared::default() };
    assert_eq!(project.with_changes().notes(prepared), [""; 0]);
}

#[test]
fn looking_changes_no_byte_of_the_project_and_runs_no_hook() {
    let repository = Repository::new();
    let ran = repository.beside("ran");
    let script = format!("#!/bin/sh\ntouch '{}'\n", ran.display());
    let hook = repository.beside("monitor");
    fs::write(&hook, script).unwrap();
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    repository.git(["config", "core.fsmonitor", hook.to_str().unwrap()]);
    // The same content with another time: a status that may write would refresh the index.
    let file = fs::File::options().write(true).open(repository.root().join("README.md")).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    let before = fs::read(repository.root().join(".git/index")).unwrap();
    assert_eq!(look(&repository, &repository.root()).unwrap().uncommitted, 0);
    assert_eq!(fs::read(repository.root().join(".git/index")).unwrap(), before);
    assert!(!ran.exists());
}

#[test]
fn what_is_no_project_is_refused_with_a_sentence_and_a_hint() {
    let repository = Repository::new();
    let empty = repository.beside("empty");
    fs::create_dir(&empty).unwrap();
    let bare = repository.beside("bare.git");
    repository.git(["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    symlink("loop", repository.beside("loop")).unwrap();
    for (path, sentence) in [
        (repository.beside("nowhere"), "does not exist"),
        (repository.root().join("README.md"), "is not a folder"),
        (repository.root().join("README.md/x"), "is not a folder"),
        (repository.beside("loop"), "cannot be read"),
        (empty, "is not in a git repository"),
        (bare, "is a bare repository"),
        (repository.root().join(".git"), "is inside a git directory"),
    ] {
        let error = look(&repository, &path).unwrap_err();
        assert_eq!(error.to_string(), format!("the project `{}` {sentence}", path.display()));
        assert!(error.hint().is_some());
    }
}

#[test]
fn a_project_without_a_commit_is_refused() {
    let repository = Repository::unborn("main");
    let error = look(&repository, &repository.root()).unwrap_err();
    assert!(matches!(error, ProjectError::NoCommit { .. }), "{error}");
}

#[test]
fn a_branch_called_callbox_is_in_the_way_of_every_delivery() {
    let repository = Repository::new();
    repository.git(["branch", "callbox/x"]);
    assert!(look(&repository, &repository.root()).is_ok());
    repository.git(["branch", "-D", "callbox/x"]);
    repository.git(["branch", "callbox"]);
    let error = look(&repository, &repository.root()).unwrap_err();
    assert!(matches!(error, ProjectError::BranchInTheWay { .. }), "{error}");
    repository::git(&repository.root(), ["pack-refs", "--all"]);
    assert!(look(&repository, &repository.root()).is_err());
}
