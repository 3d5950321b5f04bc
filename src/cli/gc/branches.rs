//! callbox's own branches that are merged: which go, and that they go.

use std::time::Duration;

use super::report::RemovedBranch;
use crate::{
    cli::gc::Mode,
    ids::Timestamp,
    protocol::remains::DeliveredBranch,
    sandbox::{Git, GitError, OwnBranch, is_removable, remove_merged},
};

/// Removes, or looks at, those of `all` whose task ended longer ago than `keep`. What git did not do is named.
pub(super) fn remove_branches(
    git: &Git,
    all: &[DeliveredBranch],
    (keep, now): (Duration, Timestamp),
    mode: Mode,
) -> (Vec<RemovedBranch>, Vec<String>) {
    let (mut removed, mut failed) = (Vec::new(), Vec::new());
    for one in all.iter().filter(|one| now.since(one.ended_at) >= keep) {
        let own = OwnBranch { project: &one.project, branch: &one.branch, head: &one.head };
        let gone: Result<bool, GitError> = match mode {
            Mode::Look => is_removable(git, &own),
            Mode::Remove => remove_merged(git, &own),
        };
        match gone {
            Ok(true) => removed.push(RemovedBranch {
                task: one.task,
                project: one.project.clone(),
                branch: one.branch.clone(),
            }),
            Ok(false) => {}
            Err(error) => failed.push(format!("the branch `{}` could not be removed: {error}", one.branch)),
        }
    }
    (removed, failed)
}
