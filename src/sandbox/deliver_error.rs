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
    /// A branch of this name leaves no room for any below it: git keeps `a` and `a/b` in one place.
    #[error("the branch `{existing}` leaves no room for the branch `{branch}`")]
    InTheWay {
        /// The branch of the person's.
        existing: String,
        /// The wanted branch.
        branch: String,
    },
    /// The project took no branch, however often it was asked.
    #[error("the project refuses the branch `{branch}`")]
    Refused {
        /// The last name that was tried.
        branch: String,
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
            Self::InTheWay { .. } => {
                Some("rename that branch; a resume of the task then hands its work over")
            }
            Self::NoFreeName { .. } => {
                Some("delete the ones you do not need; a resume of the task then hands its work over")
            }
            Self::Git(GitError::Failed { words, .. }) if words.contains("fsck") => {
                Some("a commit in the sandbox is malformed; `git fsck` there names it")
            }
            _ => None,
        }
    }
}
