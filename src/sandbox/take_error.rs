//! Why work was not taken into the branch that is checked out. Nothing of the person's was changed, unless
//! git says that it moved the branch and did not.

use std::{io, path::PathBuf};

use super::{create_error::list, git_error::GitError};

/// Work that was not taken.
#[derive(Debug, thiserror::Error)]
pub enum TakeError {
    /// The project is not to be had, or git failed.
    #[error("the project `{}` could not be used", project.display())]
    Git {
        /// The root of its work tree.
        project: PathBuf,
        /// Why.
        source: GitError,
    },
    /// HEAD stands on a commit and no branch, so that what is taken would be on none either.
    #[error("no branch is checked out in `{}`: its HEAD is detached", project.display())]
    Detached {
        /// The root of the work tree.
        project: PathBuf,
    },
    /// Something that the person began is not finished.
    #[error("a {what} is not finished in `{}`", project.display())]
    Unfinished {
        /// The root of the work tree.
        project: PathBuf,
        /// What, such as `merge` or `rebase`.
        what: &'static str,
    },
    /// Files of the checked-out branch have changes that are not committed.
    #[error("`{branch}` is checked out with {count} in `{}`", project.display())]
    Dirty {
        /// The root of the work tree.
        project: PathBuf,
        /// The branch.
        branch: String,
        /// How much: `1 changed file`, `3 changed files`.
        count: String,
    },
    /// The commit is not in the project.
    #[error("`{head}` is not in `{}` any more", project.display())]
    NoCommit {
        /// The root of the work tree.
        project: PathBuf,
        /// The commit.
        head: String,
    },
    /// Both sides changed the same places.
    #[error("the work does not merge with `{branch}`: both changed {}", list(files))]
    Conflict {
        /// The checked-out branch.
        branch: String,
        /// The files.
        files: Vec<String>,
    },
    /// Git did not move the branch: it moved meanwhile, or a file that git does not know is in the way.
    #[error("`{branch}` could not be moved to what the work comes to with it")]
    Refused {
        /// The checked-out branch.
        branch: String,
        /// What git says of it.
        source: GitError,
    },
    /// What is to change could not be set aside, without which nothing is begun.
    #[error("what is to change in `{}` could not be set aside", project.display())]
    NotSetAside {
        /// The root of the work tree.
        project: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Git stopped halfway, and that was undone.
    #[error(
        "git stopped halfway through checking out what `{branch}` was to move to, and everything is as it was again"
    )]
    Undone {
        /// The checked-out branch.
        branch: String,
        /// What git says of it.
        source: GitError,
    },
    /// Git stopped halfway, and that could not be undone.
    #[error(
        "git stopped halfway through checking out what `{branch}` was to move to, and not everything could be put \
         back ({why})"
    )]
    Half {
        /// The checked-out branch, which was not moved.
        branch: String,
        /// Why not.
        why: String,
        /// What git says of it.
        source: GitError,
    },
    /// Git did not end well, and moved the branch.
    #[error("git moved `{branch}` in `{}` and did not end well", project.display())]
    Moved {
        /// The root of the work tree.
        project: PathBuf,
        /// The branch.
        branch: String,
        /// What git says of it.
        source: GitError,
    },
    /// Git ended well, and the branch is not checked out at the commit that it was to move to: something else
    /// works in the project.
    #[error("git ended well, but `{branch}` is not checked out at `{head}` in `{}`", project.display())]
    NotThere {
        /// The root of the work tree.
        project: PathBuf,
        /// The branch that was checked out.
        branch: String,
        /// The commit that it was to move to.
        head: String,
    },
}

impl TakeError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Git { .. } => "`callbox doctor` looks at git",
            Self::Detached { .. } => "check a branch out first",
            Self::Unfinished { .. } => "finish or abort it first",
            Self::Dirty { .. } => "commit or stash them first",
            Self::NoCommit { .. } => "a resume of the task hands its work over again",
            Self::Conflict { .. } => {
                "merge it by hand, or have the agent do that: `callbox resume ID TEXT --run`"
            }
            Self::Refused { .. } => "nothing was changed; move what is in the way and take it again",
            Self::NotSetAside { .. } => "nothing was changed; make room on the disk of the state directory",
            Self::Undone { .. } => "mend what git names, such as a filter or a full disk, and take it again",
            Self::Half { .. } => {
                "with room on the disk, `git restore .` there puts back what is missing; `git status` shows it"
            }
            Self::Moved { .. } | Self::NotThere { .. } => {
                "`git status` and `git reflog` there say what became of it"
            }
        }
    }
}
