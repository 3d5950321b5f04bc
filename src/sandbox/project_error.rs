//! Why callbox cannot work on a project.

use std::{io, path::PathBuf};

use super::git_error::GitError;

/// A project that no sandbox can be made of. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// Nothing is there.
    #[error("the project `{}` does not exist", path.display())]
    NotFound {
        /// What was given.
        path: PathBuf,
    },
    /// Something else than a folder is there.
    #[error("the project `{}` is not a folder", path.display())]
    NotAFolder {
        /// What was given.
        path: PathBuf,
    },
    /// It is there and cannot be read.
    #[error("the project `{}` cannot be read", path.display())]
    Unreadable {
        /// What was given.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// No repository is around it.
    #[error("the project `{}` is not in a git repository", path.display())]
    NoRepository {
        /// What was given.
        path: PathBuf,
    },
    /// It has no work tree.
    #[error("the project `{}` is a bare repository", path.display())]
    Bare {
        /// What was given.
        path: PathBuf,
    },
    /// It is the inside of a repository, not its work tree.
    #[error("the project `{}` is inside a git directory", path.display())]
    GitFolder {
        /// What was given.
        path: PathBuf,
    },
    /// There is nothing to start from.
    #[error("the project `{}` has no commit yet", root.display())]
    NoCommit {
        /// The root of its work tree.
        root: PathBuf,
    },
    /// Git keeps a branch `callbox` and branches `callbox/…` in the same place.
    #[error("the project `{}` has a branch called `callbox`, so no branch `callbox/…` can be made", root.display())]
    BranchInTheWay {
        /// The root of its work tree.
        root: PathBuf,
    },
    /// Git itself failed.
    #[error("the project could not be looked at")]
    Git(#[from] GitError),
}

impl ProjectError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotFound { .. } | Self::NotAFolder { .. } => Some("name a folder inside a git work tree"),
            Self::Unreadable { .. } => Some("let your user read it, or name another project"),
            Self::NoRepository { .. } => Some("run `git init` there and commit"),
            Self::Bare { .. } | Self::GitFolder { .. } => {
                Some("name a work tree of it; `git worktree add` makes one")
            }
            Self::NoCommit { .. } => Some("commit something first; an empty commit will do"),
            Self::BranchInTheWay { .. } => Some("rename it: `git branch -m callbox NEW-NAME`"),
            Self::Git(GitError::Missing) => Some("install git"),
            Self::Git(_) => None,
        }
    }
}
