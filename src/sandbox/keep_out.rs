//! Files that stand in a sandbox and are no work of its agent's.

use std::{
    ffi::OsString,
    fs::OpenOptions,
    io::Write as _,
    path::{Path, PathBuf},
};

use super::{copy::pattern, git::Git, snapshot::Snapshot, view::View, work_error::WorkError};

/// Has git ignore all new files that stand in the sandbox `directory` now, which was made from `base`: callbox's own
/// as well as the agent's.
pub fn keep_out(git: &Git, directory: &Path, base: &str) -> Result<(), WorkError> {
    let view = View::open(directory, base)?;
    let standing = view.standing()?;
    let mut lines = Vec::new();
    for path in Snapshot::of(git, &view, &standing.commit)?.untracked()? {
        lines.extend(pattern(&path));
        lines.push(b'\n');
    }
    if lines.is_empty() {
        return Ok(());
    }
    let own = view.git_directory().join("info/exclude");
    let written = OpenOptions::new().append(true).create(true).open(own);
    written.and_then(|mut file| file.write_all(&lines)).map_err(|source| view.files_error(source))?;
    view.agent().ignore(&lines).map_err(|source| view.files_error(source))
}

/// The file beside the sandbox `directory` that says that it is set up.
pub fn set_up_mark(directory: &Path) -> PathBuf {
    let mut mark = OsString::from(directory);
    mark.push(".setup");
    mark.into()
}
