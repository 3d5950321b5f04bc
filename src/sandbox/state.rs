//! Whether, and how far, the work in a sandbox has left its base.

use std::path::Path;

use super::{
    agent_git::AgentGit, git::Git, git_error::GitError, snapshot::Snapshot, view::View, work_error::WorkError,
};

/// How a sandbox stands to its base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkState {
    /// The commit it stands on.
    pub head: String,
    /// Whether there is anything to hand over: commits, or files that could be committed.
    pub changed: bool,
    /// Files with changes that are not committed, new files included.
    pub uncommitted: usize,
    /// Commits that the base does not have.
    pub commits: u32,
}

/// Looks at the sandbox in `directory`, which was made from `base`. Nothing in it is changed or run.
pub fn state(git: &Git, directory: &Path, base: &str) -> Result<WorkState, WorkError> {
    let view = View::open(directory, base)?;
    let head = view.standing()?.commit;
    let changes = Snapshot::of(git, &view, &head)?.changes()?;
    let uncommitted = changes.present.len() + changes.gone.len();
    let commits = count_commits(git, &view, base, &head)?;
    Ok(WorkState { changed: commits > 0 || uncommitted > 0, head, uncommitted, commits })
}

/// The commit that the sandbox in `directory` stands on now: a few small files are read.
pub fn head(directory: &Path) -> Result<String, WorkError> {
    Ok(AgentGit::open(directory)?.standing()?.commit)
}

/// The commit that the sandbox in `directory` was made from, as it was recorded then.
pub fn recorded_base(directory: &Path) -> Result<String, WorkError> {
    View::recorded_base(directory)
}

/// How many commits `head` has that `base` has not.
pub(super) fn count_commits(git: &Git, view: &View, base: &str, head: &str) -> Result<u32, GitError> {
    if head == base {
        return Ok(0);
    }
    let count =
        view.git(git, "rev-list").arg("--count").arg(head).arg(format!("^{base}")).arg("--").line()?;
    count.parse().map_err(|_| GitError::answer("rev-list", count.as_bytes()))
}
