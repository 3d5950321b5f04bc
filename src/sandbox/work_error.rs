//! Why the work in a sandbox cannot be looked at.

use std::{io, path::PathBuf};

use super::git_error::GitError;

/// A sandbox whose work could not be read or committed. It is left as it is.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// The sandbox is not there, or is not a folder.
    #[error("the sandbox `{}` is gone", directory.display())]
    Gone {
        /// Where it should be.
        directory: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Its `.git` is missing, or is a file or link that points elsewhere.
    #[error("the sandbox `{}` has no git directory of its own", directory.display())]
    NoGit {
        /// The sandbox.
        directory: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A file in its `.git` is not what git would have written.
    #[error("`{}` in the sandbox cannot be read", path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: io::Error,
    },
    /// The agent stands on a branch without a commit.
    #[error("the sandbox stands on `{reference}`, which has no commit")]
    NoCommit {
        /// The reference.
        reference: String,
    },
    /// Callbox's own files beside the sandbox could not be written or read.
    #[error("callbox's own files for the sandbox `{}` cannot be used", directory.display())]
    Files {
        /// The sandbox.
        directory: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Git failed.
    #[error("the work in the sandbox could not be read")]
    Git(#[from] GitError),
}
