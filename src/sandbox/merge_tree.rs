//! Merging without a work tree: what two commits come to, or which files they disagree about.

use super::{git_error::GitError, invocation::Invocation};

/// What a merge comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Merged {
    /// This tree.
    Tree(String),
    /// The two changed the same places of these files.
    Conflict(Vec<String>),
}

/// The status of a git that does not know what it was told.
const UNKNOWN_OPTION: i32 = 129;

/// Runs `merge_tree`, git's command of that name with whatever configuration is to count, on `ours` and
/// `theirs`. Their common ancestor is looked up where `base` names no other. Nothing is changed but that
/// objects are added.
pub(super) fn merge_trees(
    merge_tree: Invocation,
    (ours, theirs): (&str, &str),
    base: Option<&str>,
) -> Result<Merged, GitError> {
    let output = merge_tree
        .args(["--write-tree", "-z", "--name-only", "--no-messages"])
        .args(base.map(|base| format!("--merge-base={base}")))
        .args([ours, theirs])
        .run()?;
    let answer = || GitError::answer("merge-tree", &output.stdout);
    let mut parts = output.stdout.split(|byte| *byte == 0).filter(|part| !part.is_empty());
    let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
    match output.status.code() {
        Some(0) => Ok(Merged::Tree(text(parts.next().ok_or_else(answer)?).trim_end().to_owned())),
        Some(1) => {
            parts.next().ok_or_else(answer)?;
            Ok(Merged::Conflict(parts.map(text).collect()))
        }
        Some(UNKNOWN_OPTION) => Err(GitError::TooOld { verb: "merge-tree", needed: "2.40" }),
        _ => Err(GitError::failed("merge-tree", &output)),
    }
}
