//! `.worktreeinclude`: files that a project names itself as what its work trees need and git does not have.

use std::{
    collections::HashSet,
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStringExt as _,
    path::{Path, PathBuf},
};

use super::{folder::Folder, git::Git, git_error::GitError};

/// The file, with patterns as in `.gitignore`.
pub(super) const INCLUDE: &str = ".worktreeinclude";

/// The files of the work tree `root` that its patterns name and that git ignores, relative to it. What git would
/// take is the person's work that is not committed yet, and no part of a sandbox.
pub(super) fn included(git: &Git, root: &Path) -> Result<Vec<PathBuf>, GitError> {
    // A link may lead to somebody else's patterns.
    let is_file = Folder::open(root).and_then(|folder| folder.open_file(OsStr::new(INCLUDE))).is_ok();
    if !is_file {
        return Ok(Vec::new());
    }
    let files = |exclude: &str| {
        git.person(root, "ls-files").args(["--others", "--ignored", "-z"]).arg(exclude).succeed()
    };
    let (named, ignored) = (files(&format!("--exclude-from={INCLUDE}"))?, files("--exclude-standard")?);
    let ignored: HashSet<&[u8]> = ignored.split(|byte| *byte == 0).collect();
    let paths = named.split(|byte| *byte == 0).filter(|path| !path.is_empty() && ignored.contains(path));
    Ok(paths.map(|path| PathBuf::from(OsString::from_vec(path.to_vec()))).collect())
}
