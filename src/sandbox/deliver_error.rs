//! Why work could not be handed over.

use super::{git_error::GitError, work_error::WorkError};

/// Work that is not in the project. The sandbox holds it.
#[derive(Debug, thiserror::Error)]
pub enum DeliverError {
    /// The sandbox could not be used.
    #[error("the work in the sandbox could not be handed over")]
    Work(#[from] WorkError),
    /// Git failed.
    #[error("the project could not take the work")]
    Git(#[from] GitError),
    /// Git ended well, and the branch is not where it should be.
    #[error("the branch `{branch}` does not stand on `{head}` in the project")]
    NotThere {
        /// The branch.
        branch: String,
        /// The commit.
        head: String,
    },
    /// The branch and its numbered fellows all exist with other content.
    #[error("the branches `{branch}` to `{branch}-99` are all taken")]
    NoFreeName {
        /// The wanted branch.
        branch: String,
    },
}

impl DeliverError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoFreeName { .. } => Some("delete the ones you do not need, then retry"),
            Self::Git(GitError::Failed { words, .. }) if words.contains("fsck") => {
                Some("a commit in the sandbox is malformed; `git fsck` there names it")
            }
            _ => None,
        }
    }
}
