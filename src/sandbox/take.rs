//! Taking work into the branch that is checked out in the project, as the person asks for by hand.
//!
//! The one place where callbox works in a person's own work tree, and so with the person's own
//! configuration: filters such as Git LFS's, merge drivers and the name on a merge commit are theirs. Hooks
//! are not run and nothing is signed (`configuration::OVERRIDES`): a hook may push, ask or refuse, and
//! whoever wants that merges with their own git.
//!
//! What the two sides come to is computed first, without the work tree. Then the branch only moves forward,
//! which git itself does whole or not at all.

use std::path::Path;

use super::{
    git::Git,
    git_error::GitError,
    identity,
    invocation::Invocation,
    merge_tree::{Merged, merge_trees},
    take_error::TakeError,
};

/// What is to be taken, and where to.
#[derive(Debug, Clone, Copy)]
pub struct TakeRequest<'a> {
    /// The root of the project's work tree; absolute.
    pub project: &'a Path,
    /// The commit.
    pub head: &'a str,
    /// The message of a merge commit, where one has to be made.
    pub message: &'a str,
}

/// Work that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The branch that has it now.
    pub branch: String,
    /// The commit that the branch stands on.
    pub head: String,
    /// How it got there.
    pub way: TakenBy,
}

/// How a branch came to have the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakenBy {
    /// The branch moved on to the work itself.
    FastForward,
    /// A merge commit joins the two. A cherry-pick would give the commits other names, and then neither
    /// git nor a second take, behind a resume, would know which of them the branch has.
    Merge,
    /// The branch had it already.
    Nothing,
}

/// Takes the work, or leaves branch, index and work tree exactly as they were. New files that git does not
/// know are in nobody's way unless the work has files of these names.
pub fn take(git: &Git, request: &TakeRequest<'_>) -> Result<Taken, TakeError> {
    let place = Place { git, project: request.project };
    let branch = place.branch()?;
    let tip = place.line("rev-parse", &["--verify", "--end-of-options", "HEAD^{commit}"])?;
    let commit = format!("{}^{{commit}}", request.head);
    if !place.holds("cat-file", &["-e", &commit])? {
        return Err(TakeError::NoCommit {
            project: request.project.to_owned(),
            head: request.head.to_owned(),
        });
    }
    if place.is_ancestor(request.head, &tip)? {
        return Ok(Taken { branch, head: tip, way: TakenBy::Nothing });
    }
    place.check_clean(&branch)?;
    let (head, way) = if place.is_ancestor(&tip, request.head)? {
        (request.head.to_owned(), TakenBy::FastForward)
    } else {
        (place.merge(&branch, &tip, request)?, TakenBy::Merge)
    };
    place.forward(&branch, &head)?;
    Ok(Taken { branch, head, way })
}

/// The person's work tree.
struct Place<'a> {
    git: &'a Git,
    project: &'a Path,
}

impl Place<'_> {
    fn run(&self, verb: &'static str) -> Invocation {
        self.git.person(self.project, verb)
    }

    fn failed(&self, source: GitError) -> TakeError {
        TakeError::Git { project: self.project.to_owned(), source }
    }

    fn line(&self, verb: &'static str, arguments: &[&str]) -> Result<String, TakeError> {
        self.run(verb).args(arguments).line().map_err(|error| self.failed(error))
    }

    /// Whether a command that answers with its status says yes.
    fn holds(&self, verb: &'static str, arguments: &[&str]) -> Result<bool, TakeError> {
        let output = self.run(verb).args(arguments).run().map_err(|error| self.failed(error))?;
        Ok(output.status.success())
    }

    fn is_ancestor(&self, older: &str, younger: &str) -> Result<bool, TakeError> {
        self.holds("merge-base", &["--is-ancestor", older, younger])
    }

    /// The branch, where one is checked out and nothing is under way on it.
    fn branch(&self) -> Result<String, TakeError> {
        let project = || self.project.to_owned();
        // Fails where there is no repository any more, before a silence is taken for a detached HEAD.
        self.line("rev-parse", &["--is-inside-work-tree"])?;
        let output =
            self.run("symbolic-ref").args(["-q", "HEAD"]).run().map_err(|error| self.failed(error))?;
        let reference = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
        let Some(branch) = reference.strip_prefix("refs/heads/") else {
            return Err(TakeError::Detached { project: project() });
        };
        let unfinished =
            [("MERGE_HEAD", "merge"), ("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert")];
        for (name, what) in unfinished {
            if self.holds("rev-parse", &["--verify", "--quiet", name])? {
                return Err(TakeError::Unfinished { project: project(), what });
            }
        }
        Ok(branch.to_owned())
    }

    fn check_clean(&self, branch: &str) -> Result<(), TakeError> {
        let status = self
            .run("status")
            .args(["--porcelain", "-z", "--untracked-files=no", "--no-renames", "--ignore-submodules=all"])
            .succeed()
            .map_err(|error| self.failed(error))?;
        let (project, branch) = (self.project.to_owned(), branch.to_owned());
        let count = match status.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()).count() {
            0 => return Ok(()),
            1 => "1 changed file".to_owned(),
            many => format!("{many} changed files"),
        };
        Err(TakeError::Dirty { project, branch, count })
    }

    /// The merge commit, which nothing refers to yet.
    fn merge(&self, branch: &str, tip: &str, request: &TakeRequest<'_>) -> Result<String, TakeError> {
        let merged = merge_trees(self.run("merge-tree"), (tip, request.head), None);
        let tree = match merged.map_err(|error| self.failed(error))? {
            Merged::Tree(tree) => tree,
            Merged::Conflict(files) => {
                return Err(TakeError::Conflict { branch: branch.to_owned(), files });
            }
        };
        let commit = self.run("commit-tree");
        // Who has never told git their name has it merged all the same.
        let named =
            self.holds("var", &["GIT_COMMITTER_IDENT"])? && self.holds("var", &["GIT_AUTHOR_IDENT"])?;
        let commit = if named { commit } else { identity::callbox(commit) };
        commit
            .args([&*tree, "-p", tip, "-p", request.head, "-F", "-"])
            .input(request.message.as_bytes().to_vec())
            .line()
            .map_err(|error| self.failed(error))
    }

    /// Moves branch, index and work tree on to `head`, which has the tip among its ancestors.
    fn forward(&self, branch: &str, head: &str) -> Result<(), TakeError> {
        let moved = self
            .run("merge")
            .env("GIT_REFLOG_ACTION", "callbox take")
            .args(["--ff-only", "--no-autostash", "--no-verify-signatures", "--no-stat", "--quiet", head])
            .succeed();
        moved.map_err(|source| TakeError::Refused { branch: branch.to_owned(), source }).map(drop)
    }
}
