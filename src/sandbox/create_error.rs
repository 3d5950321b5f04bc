//! Why a sandbox could not be made.

use std::{io, path::PathBuf};

use super::{git_error::GitError, space::readable, work_error::WorkError};

/// A sandbox that was not made. Nothing of it is left.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    /// A finished sandbox, or something else, is already there.
    #[error("a sandbox already stands in `{}`", directory.display())]
    Occupied {
        /// The directory.
        directory: PathBuf,
    },
    /// The project has no such commit.
    #[error("`{base}` is not a commit, branch or tag of the project `{}`", project.display())]
    NoSuchBase {
        /// What was asked for.
        base: String,
        /// The project.
        project: PathBuf,
    },
    /// The works of several tasks do not go together.
    #[error("the works this task starts from change the same places in {}", list(files))]
    Conflict {
        /// The files, relative to the work tree.
        files: Vec<String>,
        /// The commit that could not be merged into the ones before it.
        commit: String,
    },
    /// The clone lacks files that its commit has.
    #[error("the clone of `{}` is not complete: {} files are missing", project.display(), missing)]
    Incomplete {
        /// The project.
        project: PathBuf,
        /// How many.
        missing: usize,
    },
    /// The disk is too full for it; nothing was copied.
    #[error(
        "the sandbox needs {} and {} must stay free beside it, but only {} are free for `{}`",
        readable(*needed), readable(*keep_free), readable(*free), directory.display()
    )]
    NoSpace {
        /// Where it was to stand.
        directory: PathBuf,
        /// What it needs, in bytes.
        needed: u64,
        /// What must stay free there, in bytes.
        keep_free: u64,
        /// What is free there, in bytes.
        free: u64,
    },
    /// There are too many sandboxes already; nothing was copied.
    #[error(
        "the sandboxes in `{}` take {}, and `sandbox.max_size` of the configuration is {}",
        all.display(), readable(*taken), readable(*limit)
    )]
    TooMuch {
        /// Where they stand.
        all: PathBuf,
        /// What they take, in bytes.
        taken: u64,
        /// What they may take, in bytes.
        limit: u64,
    },
    /// The sandbox to start from could not be used.
    #[error("the work of the parent task could not be read")]
    Parent(#[source] WorkError),
    /// A folder or file could not be written.
    #[error("the sandbox `{}` could not be written", directory.display())]
    Files {
        /// The sandbox.
        directory: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Git failed.
    #[error("the project could not be cloned")]
    Git(#[from] GitError),
}

impl CreateError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoSuchBase { .. } => Some("`git branch -a` and `git tag` list what there is"),
            Self::Conflict { .. } => {
                Some("merge the branches by hand and start the task from the result with `--base`")
            }
            Self::Incomplete { .. } => Some("check the project with `git fsck`, and the free space"),
            Self::TooMuch { .. } => Some("let `callbox gc` remove those of ended tasks, or raise the limit"),
            Self::NoSpace { .. } => {
                Some("free some space there, or keep the state elsewhere with `--state DIR` or CALLBOX_STATE")
            }
            Self::Git(GitError::Missing) => Some("install git"),
            _ => None,
        }
    }
}

/// The first ten of them, since a conflict can be in thousands.
pub(super) fn list(files: &[String]) -> String {
    let shown: Vec<_> = files.iter().take(10).map(|file| format!("`{file}`")).collect();
    let more = files.len().saturating_sub(shown.len());
    let list = shown.join(", ");
    if more == 0 { list } else { format!("{list} and {more} more") }
}
