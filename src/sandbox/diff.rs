//! Showing work: what was delivered from the project, the rest from the sandbox through callbox's own
//! git directory.

use std::path::Path;

use super::{
    git::Git, git_error::GitError, invocation::Invocation, snapshot::Snapshot, view::View,
    work_error::WorkError,
};

/// More of a difference than this is not read.
pub const DIFF_LIMIT: usize = 8 << 20;

/// The work to show.
#[derive(Debug, Clone, Copy)]
pub enum Work<'a> {
    /// Delivered commits.
    Delivered {
        /// The root of the project's work tree; absolute.
        project: &'a Path,
        /// The commit the work started from.
        base: &'a str,
        /// The delivered commit.
        head: &'a str,
    },
    /// All that is in a sandbox, uncommitted and new files included.
    Sandbox {
        /// The sandbox; absolute.
        directory: &'a Path,
        /// The commit it was made from.
        base: &'a str,
    },
}

/// A difference as text: without colour, in whatever encoding the files have. It comes from an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// At most [`DIFF_LIMIT`] bytes.
    pub bytes: Vec<u8>,
    /// Whether that is all of it.
    pub complete: bool,
}

/// The unified diff of `work`. No program that a configuration or an attribute names is run.
pub fn diff(git: &Git, work: Work<'_>) -> Result<Patch, WorkError> {
    show(git, work, &["--patch"])
}

/// The changed files of `work` with the number of lines, 100 columns wide.
pub fn diff_stat(git: &Git, work: Work<'_>) -> Result<Patch, WorkError> {
    show(git, work, &["--stat=100", "--summary"])
}

fn show(git: &Git, work: Work<'_>, form: &[&str]) -> Result<Patch, WorkError> {
    match work {
        Work::Delivered { project, base, head } => {
            Ok(between(git.project(project, "diff-tree"), form, base, head)?)
        }
        Work::Sandbox { directory, base } => {
            let view = View::open(directory, base)?;
            let tree = standing_tree(git, &view)?;
            Ok(between(view.git(git, "diff-tree"), form, base, &tree)?)
        }
    }
}

/// The tree of all that is in the sandbox of `view`.
pub(super) fn standing_tree(git: &Git, view: &View) -> Result<String, WorkError> {
    let standing = view.standing()?;
    let snapshot = Snapshot::of(git, view, &standing.commit)?;
    Ok(snapshot.tree(&snapshot.changes()?)?)
}

pub(super) fn between(run: Invocation, form: &[&str], from: &str, to: &str) -> Result<Patch, GitError> {
    let capped = run
        .args(["-r", "-M", "--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short"])
        .args(form)
        .args([from, to, "--"])
        .capped(DIFF_LIMIT)?;
    Ok(Patch { bytes: capped.bytes, complete: capped.complete })
}
