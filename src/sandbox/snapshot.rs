//! What is not committed in a work tree: an agent's, as callbox's own git sees it, or a person's, as theirs
//! does.
//!
//! Only commands that never start a program of the work tree's are used: `git add` and `git diff` would run
//! `git status` inside every nested repository, with that repository's configuration. No filter is known to
//! callbox's own git, so an agent's files go in as they are.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use super::{
    beyond::{Beyond, Sparing},
    cone::Cone,
    git::Git,
    git_error::GitError,
    invocation::Invocation,
    scratch::Scratch,
    view::View,
    work_error::WorkError,
};

/// A work tree beside a copy of its index, which is removed with this.
pub(super) struct Snapshot<'a> {
    run: Box<dyn Fn(&'static str) -> Invocation + 'a>,
    index: Scratch,
    sparse: Option<Sparse<'a>>,
}

/// What is to be kept of a sparse work tree when another commit is checked out there.
struct Sparse<'a> {
    cone: &'a Cone,
    /// Files outside the cone that stand there all the same.
    outside: Vec<Vec<u8>>,
    /// Where git looks for the patterns.
    patterns: PathBuf,
}

/// What is different from the commit the agent stands on. Paths are bytes: git's are.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Files that are new or have another content, kind or mode.
    pub(super) present: Vec<Vec<u8>>,
    /// Files that are gone.
    pub(super) gone: Vec<Vec<u8>>,
    /// Repositories that the agent made inside the sandbox; not part of its work tree to git.
    pub(super) nested: Vec<Vec<u8>>,
}

impl<'a> Snapshot<'a> {
    /// Prepares a copy of the index that says what `commit` holds.
    pub(super) fn of(git: &'a Git, view: &'a View, commit: &str) -> Result<Self, WorkError> {
        let run = move |verb| {
            view.git(git, verb).env("GIT_WORK_TREE", view.directory()).in_folder(view.directory())
        };
        let mut snapshot = Self { run: Box::new(run), index: Scratch::file(git, "index"), sparse: None };
        let fresh = copy_with_time(&view.git_directory().join("index"), snapshot.index.path())
            .map_err(|source| view.files_error(source))?;
        let base = fs::read_to_string(view.git_directory().join("HEAD"));
        if !fresh || base.is_ok_and(|base| base.trim_end() != commit) {
            // Entries that stay the same keep their times, so that their files need not be read again.
            // `-i`: the work tree has no say in what the commit holds.
            snapshot.run("read-tree").args(["--reset", "-i", commit]).succeed()?;
        }
        let hidden = Beyond::of_agent(git, view)?;
        if view.cone().is_none() && !hidden.is_empty() {
            snapshot.spare(None, &hidden, view.directory())?;
        }
        if let Some(cone) = view.cone() {
            let outside = snapshot.spare(Some(cone), &hidden, view.directory())?;
            let patterns = view.git_directory().join("info/sparse-checkout");
            snapshot.sparse = Some(Sparse { cone, outside, patterns });
        }
        Ok(snapshot)
    }

    /// Prepares a copy of the index that stands at `index`, for a work tree in which `run` runs git.
    pub(super) fn beside(
        git: &Git,
        index: &Path,
        run: impl Fn(&'static str) -> Invocation + 'a,
    ) -> io::Result<Self> {
        let snapshot = Self { run: Box::new(run), index: Scratch::file(git, "index"), sparse: None };
        copy_with_time(index, snapshot.index.path())?;
        Ok(snapshot)
    }

    /// Compares the work tree with the index.
    pub(super) fn changes(&self) -> Result<Changes, GitError> {
        let status = self
            .run("status")
            .args(["--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"])
            .succeed()?;
        read_status(&status).ok_or_else(|| GitError::answer("status", &status))
    }

    /// What stands in the work tree and is not in the index nor ignored; a folder without anything else counts once,
    /// with a slash at its end.
    pub(super) fn untracked(&self) -> Result<Vec<Vec<u8>>, WorkError> {
        let status = self
            .run("status")
            .args([
                "--porcelain",
                "-z",
                "--untracked-files=normal",
                "--no-renames",
                "--ignore-submodules=all",
            ])
            .succeed()?;
        let entries = status.split(|byte| *byte == 0);
        Ok(entries.filter_map(|entry| entry.strip_prefix(b"?? ")).map(<[u8]>::to_vec).collect())
    }

    /// The tree of the index with `changes` in it.
    pub(super) fn tree(&self, changes: &Changes) -> Result<String, GitError> {
        // First what is gone: a file may be where a folder was, and a link where a file's folder was.
        if !changes.gone.is_empty() {
            self.update(&["--force-remove"], &changes.gone)?;
        }
        if !changes.present.is_empty() {
            self.update(&["--add", "--remove", "--replace"], &changes.present)?;
        }
        self.run("write-tree").line()
    }

    /// Makes work tree and index what `commit` holds. What was changed beside the index is given up where the
    /// two differ. A sparse work tree stays as sparse as it is.
    pub(super) fn check_out(&self, commit: &str) -> Result<(), WorkError> {
        let run = self.run("read-tree").args(["--reset", "-u", commit]);
        let run = match &self.sparse {
            None => run,
            Some(Sparse { cone, outside, patterns }) => {
                fs::write(patterns, cone.patterns(outside))
                    .map_err(|source| WorkError::Files { directory: patterns.clone(), source })?;
                run.config("core.sparseCheckout", "true").config("core.sparseCheckoutCone", "false")
            }
        };
        Ok(run.succeed().map(drop)?)
    }

    /// Lets the index tell the truth of a work tree that is spared what `cone` does not hold and what its agent has
    /// `hidden` from itself; the files outside the cone that stand there. Not left to git: only since 2.36 it looks whether what was spared is there all the same.
    fn spare(&self, cone: Option<&Cone>, hidden: &Beyond, root: &Path) -> Result<Vec<Vec<u8>>, GitError> {
        let listed = self.run("ls-files").args(["-t", "-z"]).succeed()?;
        let sparing = Sparing::of(&listed, cone, hidden, root);
        for (how, paths) in [("--skip-worktree", &sparing.spare), ("--no-skip-worktree", &sparing.look)] {
            if !paths.is_empty() {
                self.update(&[how], paths)?;
            }
        }
        Ok(sparing.outside)
    }

    /// The index, as it is now.
    pub(super) fn index(&self) -> &Path {
        self.index.path()
    }

    fn update(&self, how: &[&str], paths: &[Vec<u8>]) -> Result<(), GitError> {
        let mut input = paths.join(&0);
        input.push(0);
        self.run("update-index").args(how).args(["-z", "--stdin"]).input(input).succeed().map(drop)
    }

    fn run(&self, verb: &'static str) -> Invocation {
        (self.run)(verb).env("GIT_INDEX_FILE", self.index.path())
    }
}

/// Copies an index, for callbox's own eyes; `false` where there is none. Most gits compare whole seconds, and read a file again
/// whose time is not older than that of the index: a copy that looked younger would hide changes.
fn copy_with_time(from: &Path, to: &Path) -> io::Result<bool> {
    let time = match fs::metadata(from) {
        Ok(metadata) => metadata.modified()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let mut copy = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    io::copy(&mut File::open(from)?, &mut copy)?;
    copy.set_modified(time)?;
    Ok(true)
}

/// Reads `git status --porcelain -z --no-renames`: two letters, a space, a path. The first letter
/// compares the index with the base and says nothing here.
fn read_status(status: &[u8]) -> Option<Changes> {
    let mut changes = Changes::default();
    for entry in status.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
        let (&[_, letter, b' '], path) = entry.split_first_chunk()? else { return None };
        match letter {
            b' ' => {}
            b'D' => changes.gone.push(path.to_vec()),
            b'?' if path.ends_with(b"/") => changes.nested.push(path.to_vec()),
            _ => changes.present.push(path.to_vec()),
        }
    }
    Some(changes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_copy_of_an_index_is_as_old_as_the_index_and_private() {
        let temporary = tempfile::tempdir().unwrap();
        let (from, to) = (temporary.path().join("from"), temporary.path().join("to"));
        assert!(!copy_with_time(&from, &to).unwrap());
        fs::write(&from, "index").unwrap();
        fs::set_permissions(&from, fs::Permissions::from_mode(0o644)).unwrap();
        File::options().write(true).open(&from).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
        assert!(copy_with_time(&from, &to).unwrap());
        let copy = fs::metadata(&to).unwrap();
        assert_eq!(copy.modified().unwrap(), std::time::UNIX_EPOCH);
        assert_eq!(copy.permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_to_string(&to).unwrap(), "index");
    }

    #[test]
    fn only_the_second_letter_and_the_exact_bytes_of_the_path_count() {
        let changes = read_status(b"M  staged\0 M a b\0AD x\xff\n\0 T link\0?? new\0?? inner/\0").unwrap();
        let owned = |paths: &[&[u8]]| paths.iter().map(|path| path.to_vec()).collect::<Vec<_>>();
        assert_eq!(changes.present, owned(&[b"a b", b"link", b"new"]));
        assert_eq!(changes.gone, owned(&[b"x\xff\n"]));
        assert_eq!(changes.nested, owned(&[b"inner/"]));
        assert_eq!(read_status(b"?"), None);
        assert_eq!(read_status(b"garbage"), None);
        assert_eq!(read_status(b""), Some(Changes::default()));
    }
}
