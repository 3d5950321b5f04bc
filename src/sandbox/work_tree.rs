//! A person's own work tree, and the one way in which callbox moves one: forward, whole or not at all.
//!
//! The person's own configuration counts there: filters such as Git LFS's and merge drivers are theirs. Hooks
//! are not run and nothing is signed (`configuration::OVERRIDES`): a hook may push, ask or refuse, and whoever
//! wants that merges with their own git.

use std::{
    ffi::OsString,
    os::unix::ffi::OsStringExt as _,
    path::{Path, PathBuf},
};

use super::{
    git::Git,
    git_error::GitError,
    invocation::Invocation,
    scratch::Scratch,
    set_aside::{SetAside, Undoing},
    take_error::TakeError,
};

/// The reference under which git remembers where a branch stood.
const ORIGINAL: &str = "ORIG_HEAD";

/// How a work tree stood before it was to be moved.
struct Before {
    tip: String,
    original: String,
}

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
        const VERB: &str = "merge-base";
        let asked = self.run(VERB).args(["--is-ancestor", older, younger]);
        let output = asked.run().map_err(|error| self.failed(error))?;
        match output.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            // A history that cannot be read says nothing of who stands in it.
            _ => Err(self.failed(GitError::failed(VERB, &output))),
        }
    }

    /// The branch, where one is checked out and nothing is under way on it.
    pub(super) fn branch(&self) -> Result<String, TakeError> {
        let project = || self.root.to_owned();
        // Fails where there is no repository any more, before a silence is taken for a detached HEAD.
        self.line("rev-parse", &["--is-inside-work-tree"])?;
        let reference = self.reference()?;
        let Some(branch) = reference.strip_prefix("refs/heads/") else {
            return Err(TakeError::Detached { project: project() });
        };
        self.check_finished()?;
        Ok(branch.to_owned())
    }

    /// What HEAD names; empty where it is detached.
    fn reference(&self) -> Result<String, TakeError> {
        let named =
            self.run("symbolic-ref").args(["-q", "HEAD"]).run().map_err(|error| self.failed(error))?;
        Ok(String::from_utf8_lossy(&named.stdout).trim_end().to_owned())
    }

    /// The git directory of this work tree.
    fn git_directory(&self) -> Result<PathBuf, TakeError> {
        let said = self.run("rev-parse").arg("--absolute-git-dir").succeed();
        let mut path = said.map_err(|error| self.failed(error))?;
        if path.last() == Some(&b'\n') {
            path.pop();
        }
        Ok(OsString::from_vec(path).into())
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
        // These stand between two steps, where none of the above does.
        let unfinished = [
            ("rebase-apply", "rebase or `git am`"),
            ("rebase-merge", "rebase"),
            ("sequencer", "cherry-pick or revert of several commits"),
        ];
        let git_directory = self.git_directory()?;
        for (name, what) in unfinished {
            // What cannot be looked at counts as standing there.
            if git_directory.join(name).try_exists().unwrap_or(true) {
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

    /// Moves branch, index and work tree on to `head`, which has the tip among its ancestors, or leaves all as it was.
    /// Files that git ignores are the person's too, and what they set for merges of the branch must not stop it
    /// halfway. The reflog says that `action` did it.
    pub(super) fn forward(&self, branch: &str, head: &str, action: &str) -> Result<(), TakeError> {
        let before = Before { tip: self.commit()?, original: self.original()? };
        let aside = self.set_aside(&before.tip, head)?;
        let moved = self
            .run("merge")
            .env("GIT_REFLOG_ACTION", action)
            .args(["--ff-only", "--no-squash", "--no-overwrite-ignore", "--no-autostash"])
            .args(["--no-verify-signatures", "--no-stat", "--quiet", head])
            .succeed();
        if let Err(source) = moved {
            return Err(self.undone(branch, &before, aside, source));
        }
        if self.reference()?.strip_prefix("refs/heads/") == Some(branch) && self.commit()? == head {
            return Ok(());
        }
        Err(self.not_there(branch, head))
    }

    fn commit(&self) -> Result<String, TakeError> {
        self.line("rev-parse", &["--verify", "--end-of-options", "HEAD^{commit}"])
    }

    /// What git noted down for its next `merge` or `reset` to be undone; empty where it noted nothing.
    fn original(&self) -> Result<String, TakeError> {
        let noted = self.run("rev-parse").args(["--verify", "--quiet", ORIGINAL]).run();
        let noted = noted.map_err(|error| self.failed(error))?;
        Ok(String::from_utf8_lossy(&noted.stdout).trim_end().to_owned())
    }

    /// Has git forget what it noted down for a move that did not come about.
    fn put_back_original(&self, before: &str) -> Result<(), TakeError> {
        let arguments = if before.is_empty() { vec!["-d", ORIGINAL] } else { vec![ORIGINAL, before] };
        self.run("update-ref").args(arguments).succeed().map(drop).map_err(|error| self.failed(error))
    }

    /// What differs between the two commits, as it stands now.
    fn set_aside(&self, tip: &str, head: &str) -> Result<SetAside<'_>, TakeError> {
        let paths =
            self.run("diff-tree").args(["-r", "-z", "--no-renames", "--name-only", tip, head]).succeed();
        let paths = paths.map_err(|error| self.failed(error))?;
        let set_aside =
            Scratch::folder(self.git, "aside").and_then(|names| SetAside::of(self.root, names, &paths));
        set_aside.map_err(|source| TakeError::NotSetAside { project: self.root.to_owned(), source })
    }

    /// What is to be said of a move that git gave up for `source`, once everything is as it was where that can be.
    fn undone(&self, branch: &str, before: &Before, aside: SetAside<'_>, source: GitError) -> TakeError {
        let owned = branch.to_owned();
        // It looks before it touches anything, and what it saw in its way is the person's.
        if source.to_string().contains("would be overwritten by") {
            return TakeError::Refused { branch: owned, source };
        }
        if self.commit().is_ok_and(|commit| commit != before.tip) {
            return TakeError::Moved { project: self.root.to_owned(), branch: owned, source };
        }
        let noted = self.put_back_original(&before.original);
        let why = match aside.put_back() {
            Ok(Undoing::Untouched) => return TakeError::Refused { branch: owned, source },
            Ok(Undoing::Undone) => match self.check_clean(branch).and(noted) {
                Ok(()) => return TakeError::Undone { branch: owned, source },
                Err(error) => error.to_string(),
            },
            Err(error) => error.to_string(),
        };
        TakeError::Half { branch: owned, why, source }
    }

    fn not_there(&self, branch: &str, head: &str) -> TakeError {
        TakeError::NotThere {
            project: self.root.to_owned(),
            branch: branch.to_owned(),
            head: head.to_owned(),
        }
    }
}
