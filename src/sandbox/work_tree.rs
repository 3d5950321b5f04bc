//! A person's own work tree, and the one way in which callbox moves one: forward, whole or not at all.
//!
//! The person's own configuration counts there: filters such as Git LFS's and merge drivers are theirs. Hooks
//! are not run and nothing is signed (`configuration::OVERRIDES`): a hook may push, ask or refuse, and whoever
//! wants that merges with their own git.

use std::path::Path;

use super::{git::Git, git_error::GitError, invocation::Invocation, take_error::TakeError};

/// The work tree.
pub(super) struct WorkTree<'a> {
    pub(super) git: &'a Git,
    /// Its root; absolute.
    pub(super) root: &'a Path,
}

impl WorkTree<'_> {
    pub(super) fn run(&self, verb: &'static str) -> Invocation {
        self.git.person(self.root, verb)
    }

    pub(super) fn failed(&self, source: GitError) -> TakeError {
        TakeError::Git { project: self.root.to_owned(), source }
    }

    pub(super) fn line(&self, verb: &'static str, arguments: &[&str]) -> Result<String, TakeError> {
        self.run(verb).args(arguments).line().map_err(|error| self.failed(error))
    }

    /// Whether a command that answers with its status says yes.
    pub(super) fn holds(&self, verb: &'static str, arguments: &[&str]) -> Result<bool, TakeError> {
        let output = self.run(verb).args(arguments).run().map_err(|error| self.failed(error))?;
        Ok(output.status.success())
    }

    pub(super) fn is_ancestor(&self, older: &str, younger: &str) -> Result<bool, TakeError> {
        self.holds("merge-base", &["--is-ancestor", older, younger])
    }

    /// The branch, where one is checked out and nothing is under way on it.
    pub(super) fn branch(&self) -> Result<String, TakeError> {
        let project = || self.root.to_owned();
        // Fails where there is no repository any more, before a silence is taken for a detached HEAD.
        self.line("rev-parse", &["--is-inside-work-tree"])?;
        let output =
            self.run("symbolic-ref").args(["-q", "HEAD"]).run().map_err(|error| self.failed(error))?;
        let reference = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
        let Some(branch) = reference.strip_prefix("refs/heads/") else {
            return Err(TakeError::Detached { project: project() });
        };
        self.check_finished()?;
        Ok(branch.to_owned())
    }

    /// Refuses a work tree in which something is under way, or files of `branch` are changed.
    pub(super) fn check_free(&self, branch: &str) -> Result<(), TakeError> {
        self.check_finished()?;
        self.check_clean(branch)
    }

    fn check_finished(&self) -> Result<(), TakeError> {
        let unfinished =
            [("MERGE_HEAD", "merge"), ("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert")];
        for (name, what) in unfinished {
            if self.holds("rev-parse", &["--verify", "--quiet", name])? {
                return Err(TakeError::Unfinished { project: self.root.to_owned(), what });
            }
        }
        Ok(())
    }

    pub(super) fn check_clean(&self, branch: &str) -> Result<(), TakeError> {
        let status = self
            .run("status")
            .args(["--porcelain", "-z", "--untracked-files=no", "--no-renames", "--ignore-submodules=all"])
            .succeed()
            .map_err(|error| self.failed(error))?;
        let (project, branch) = (self.root.to_owned(), branch.to_owned());
        let count = match status.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()).count() {
            0 => return Ok(()),
            1 => "1 changed file".to_owned(),
            many => format!("{many} changed files"),
        };
        Err(TakeError::Dirty { project, branch, count })
    }

    /// Moves branch, index and work tree on to `head`, which has the tip among its ancestors.
    pub(super) fn forward(&self, branch: &str, head: &str) -> Result<(), TakeError> {
        let moved = self
            .run("merge")
            .env("GIT_REFLOG_ACTION", "callbox take")
            .args(["--ff-only", "--no-autostash", "--no-verify-signatures", "--no-stat", "--quiet", head])
            .succeed();
        moved.map_err(|source| TakeError::Refused { branch: branch.to_owned(), source }).map(drop)
    }
}
