use std::{fs, os::unix::fs::symlink};

use tempfile::TempDir;

use super::*;

const ONE: &str = "1111111111111111111111111111111111111111";
const TWO: &str = "2222222222222222222222222222222222222222";

fn sandbox(files: &[(&str, &str)]) -> TempDir {
    let directory = TempDir::new().unwrap();
    for (path, text) in [("objects/pack/x", "")].iter().chain(files) {
        let path = directory.path().join(".git").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

fn commit_of(files: &[(&str, &str)]) -> Result<String, WorkError> {
    let directory = sandbox(files);
    AgentGit::open(directory.path())?.standing().map(|standing| standing.commit)
}

#[test]
fn head_is_read_in_every_form_that_git_writes() {
    let packed =
        format!("# pack-refs with: peeled\n{ONE} refs/heads/weird/branch\n^{TWO}\n{TWO} refs/tags/x\n");
    for files in [
        &[("HEAD", ONE)][..],
        &[("HEAD", "ref: refs/heads/main\n"), ("refs/heads/main", &format!("{ONE}\n"))],
        &[("HEAD", "ref: refs/heads/weird/branch\n"), ("packed-refs", &packed)],
        &[("HEAD", "ref: refs/heads/weird/branch"), ("packed-refs", &packed), ("refs/heads/other", TWO)],
        &[
            ("HEAD", "ref: refs/heads/a"),
            ("refs/heads/a", "ref: refs/heads/weird/branch"),
            ("packed-refs", &packed),
        ],
    ] {
        assert_eq!(commit_of(files).unwrap(), ONE, "{files:?}");
    }
}

#[test]
fn a_loose_reference_is_newer_than_a_packed_one() {
    let files = [
        ("HEAD", "ref: refs/heads/x"),
        ("refs/heads/x", ONE),
        ("packed-refs", &format!("{TWO} refs/heads/x\n")),
    ];
    assert_eq!(commit_of(&files).unwrap(), ONE);
}

#[test]
fn a_branch_without_a_commit_is_said() {
    let error = commit_of(&[("HEAD", "ref: refs/heads/new\n")]).unwrap_err();
    assert_eq!(error.to_string(), "the sandbox stands on `refs/heads/new`, which has no commit");
}

#[test]
fn what_git_would_not_have_written_is_refused() {
    for head in [
        "ref: ../../../etc/passwd",
        "ref: refs/../../../x",
        "ref: refs/heads/../../HEAD",
        "ref: HEAD",
        "ref: refs//x",
        "ref: refs/heads/a\u{1b}b",
        "1111",
        "",
        "not a reference",
        &"x".repeat(5000),
    ] {
        assert!(matches!(commit_of(&[("HEAD", head)]), Err(WorkError::Unread { .. })), "{head}");
    }
    let circle = [("HEAD", "ref: refs/heads/a"), ("refs/heads/a", "ref: refs/heads/a")];
    assert!(commit_of(&circle).is_err());
}

#[test]
fn links_in_the_place_of_folders_and_files_are_not_followed() {
    let other = sandbox(&[("HEAD", ONE), ("refs/heads/x", ONE)]);
    let directory = TempDir::new().unwrap();
    let git = directory.path().join(".git");
    fs::write(&git, format!("gitdir: {}", other.path().join(".git").display())).unwrap();
    assert!(matches!(AgentGit::open(directory.path()), Err(WorkError::NoGit { .. })));
    fs::remove_file(&git).unwrap();
    symlink(other.path().join(".git"), &git).unwrap();
    assert!(matches!(AgentGit::open(directory.path()), Err(WorkError::NoGit { .. })));
    fs::remove_file(&git).unwrap();
    fs::create_dir(&git).unwrap();
    symlink(other.path().join(".git/objects"), git.join("objects")).unwrap();
    assert!(matches!(AgentGit::open(directory.path()), Err(WorkError::NoGit { .. })));
    fs::remove_file(git.join("objects")).unwrap();
    fs::create_dir(git.join("objects")).unwrap();
    symlink(other.path().join(".git/HEAD"), git.join("HEAD")).unwrap();
    assert!(AgentGit::open(directory.path()).unwrap().standing().is_err());
    fs::remove_file(git.join("HEAD")).unwrap();
    fs::write(git.join("HEAD"), "ref: refs/heads/x").unwrap();
    symlink(other.path().join(".git/refs"), git.join("refs")).unwrap();
    assert!(AgentGit::open(directory.path()).unwrap().standing().is_err());
    let gone = AgentGit::open(&directory.path().join("gone"));
    assert!(matches!(gone, Err(WorkError::Gone { .. })));
}

#[test]
fn a_new_commit_replaces_the_reference_the_agent_stands_on() {
    let directory =
        sandbox(&[("HEAD", "ref: refs/heads/deep/x"), ("packed-refs", &format!("{ONE} refs/heads/deep/x"))]);
    let index = directory.path().join("new-index");
    fs::write(&index, "index").unwrap();
    let git = AgentGit::open(directory.path()).unwrap();
    let standing = git.standing().unwrap();
    git.advance(&standing, TWO, &NewFiles { packs: Vec::new(), index }).unwrap();
    assert_eq!(git.standing().unwrap().commit, TWO);
    assert_eq!(fs::read_to_string(directory.path().join(".git/HEAD")).unwrap(), "ref: refs/heads/deep/x");
    assert_eq!(fs::read_to_string(directory.path().join(".git/index")).unwrap(), "index");
}

#[test]
fn cut_off_history_is_read_as_a_list_of_commits_and_nothing_else() {
    let text = format!("{ONE}\nrubbish\n{TWO}\n");
    let directory = sandbox(&[("HEAD", ONE), ("shallow", &text)]);
    assert_eq!(AgentGit::open(directory.path()).unwrap().shallow().unwrap(), [ONE, TWO]);
}
