//! What a run must leave alone in a person's work tree.

use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::repository::git;

/// Everything of the person's in one work tree, to be compared with the same later.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Belongings {
    /// Every file with its bytes and the time of its last change.
    files: Vec<(PathBuf, Vec<u8>, SystemTime)>,
    /// HEAD, index, configuration and FETCH_HEAD, to the byte.
    private: Vec<Option<Vec<u8>>>,
    /// All references but those that callbox delivers.
    references: Vec<String>,
    work_trees: String,
}

/// Looks at the work tree `root` without changing it.
pub(crate) fn belongings(root: &Path) -> Belongings {
    let mut files = Vec::new();
    collect(root, &mut files);
    files.sort();
    let private = ["HEAD", "index", "config", "FETCH_HEAD", "ORIG_HEAD"];
    let read = |name: &str| fs::read(root.join(git(root, ["rev-parse", "--git-path", name]))).ok();
    let references = git(root, ["for-each-ref", "--format=%(refname) %(objectname)"]);
    let own = |line: &&str| !line.starts_with("refs/heads/callbox/");
    Belongings {
        files,
        private: private.map(read).into(),
        references: references.lines().filter(own).map(str::to_owned).collect(),
        work_trees: git(root, ["worktree", "list", "--porcelain"]),
    }
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>, SystemTime)>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if entry.file_name() == ".git" {
            continue;
        }
        if kind.is_dir() {
            collect(&path, files);
        } else if kind.is_file() {
            files.push((
                path.clone(),
                fs::read(&path).unwrap(),
                entry.metadata().unwrap().modified().unwrap(),
            ));
        }
    }
}
