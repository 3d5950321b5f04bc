//! Why work could not be handed over.

use super::{git_error::GitError, take_error::TakeError, work_error::WorkError};

/// Work that is not in the project. The sandbox holds it.
#[derive(Debug, thiserror::Error)]
pub enum DeliverError {
    /// The sandbox could not be used.
    #[error("the work in the sandbox could not be handed over")]
    Work(#[from] WorkError),
    /// Git failed.
    #[error("the project could not take the work")]
    Git(#[from] GitError),
    /// The branch that the work is to be merged into is gone.
    #[error("there is no branch `{branch}` in the project any more")]
    NoBranch {
        /// The branch.
        branch: String,
    },
    /// The branch stands in a work tree that cannot go along.
    #[error("the work could not be merged")]
    WorkTree(#[from] TakeError),
    /// Git ended well, and the branch is not where it should be.
    #[error("the {wanted} does not stand on `{head}` in the project")]
    NotThere {
        /// Such as "branch `x`".
        wanted: String,
        /// The commit.
        head: String,
    },
    /// A branch of this name leaves no room for any below it: git keeps `a` and `a/b` in one place.
    #[error("the {existing} leaves no room for the {wanted}")]
    InTheWay {
        /// What is there: "branch `x`".
        existing: String,
        /// What is to be there.
        wanted: String,
    },
    /// The project did not take it, however often it was asked.
    #[error("the project refuses the {wanted}")]
    Refused {
        /// The last name that was tried.
        wanted: String,
    },
    /// The wanted name and its numbered fellows all exist with other content.
    #[error("the {wanted} and those up to `-99` behind it are all taken")]
    NoFreeName {
        /// What is to be there: "branch `x`".
        wanted: String,
    },
}

impl DeliverError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::InTheWay { .. } => {
                Some("rename that branch; a resume of the task then hands its work over")
            }
            Self::WorkTree(TakeError::Dirty { .. }) => {
                Some("commit or stash them first; `callbox take` then takes what is kept")
            }
            Self::NoBranch { .. } => Some("`callbox take` takes what is kept into another one"),
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
