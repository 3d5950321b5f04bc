//! A repository of callbox's own for one journey: it has the objects of another, and what comes beside them.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::{ffi::OsStrExt as _, fs::OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use super::{git::Git, git_error::GitError, invocation::Invocation, scratch::Scratch};

/// What a carried work tree is written by: its bytes, whatever attributes stand in it.
const AS_IT_IS: &str = "* -text -ident -filter -working-tree-encoding\n";

/// How names of commits are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hash {
    Sha1,
    Sha256,
}

impl Hash {
    /// By which `commit` was named.
    pub(super) fn of(commit: &str) -> Self {
        if commit.len() == 64 { Self::Sha256 } else { Self::Sha1 }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
        }
    }
}

/// The repository; removed with this.
#[derive(Debug)]
pub(super) struct Carrier {
    folder: Scratch,
}

impl Carrier {
    /// One that sees the objects in the git directory `beside`, where one is named, and whose history ends where that
    /// one's does.
    pub(super) fn new(git: &Git, hash: Hash, beside: Option<&Path>) -> Result<Self, GitError> {
        let folder = Scratch::folder(git, "carrier").map_err(files)?;
        git.alone("init")
            .args(["--bare", "--quiet"])
            .arg(format!("--object-format={}", hash.name()))
            .arg("--template")
            .arg(git.configuration().template())
            .arg(folder.path())
            .succeed()?;
        let info = folder.path().join("info");
        fs::create_dir_all(&info)
            .and_then(|()| fs::write(info.join("attributes"), AS_IT_IS))
            .map_err(files)?;
        if let Some(beside) = beside {
            let line = [beside.join("objects").as_os_str().as_bytes(), b"\n"].concat();
            fs::create_dir_all(folder.path().join("objects/info"))
                .and_then(|()| fs::write(folder.path().join("objects/info/alternates"), line))
                .map_err(files)?;
            match fs::copy(beside.join("shallow"), folder.path().join("shallow")) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                copied => drop(copied.map_err(files)?),
            }
        }
        Ok(Self { folder })
    }

    /// Runs git there.
    pub(super) fn git(&self, git: &Git, verb: &'static str) -> Invocation {
        git.alone(verb).env("GIT_DIR", self.folder.path())
    }

    /// Where packs that came stand.
    pub(super) fn packs(&self) -> PathBuf {
        self.folder.path().join("objects/pack")
    }

    /// Names `commits` by references `refs/known/…`.
    pub(super) fn know(&self, commits: &[String]) -> io::Result<()> {
        let lines =
            commits.iter().enumerate().map(|(place, commit)| format!("{commit} refs/known/{place}\n"));
        fs::write(self.folder.path().join("packed-refs"), lines.collect::<String>())
    }

    /// A private file in it.
    pub(super) fn file(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.folder.path().join(name);
        fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?.write_all(bytes)?;
        Ok(path)
    }

    /// Where such a file would stand.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Whether `commit` is a commit there, and that very one.
    pub(super) fn has(&self, git: &Git, commit: &str) -> Result<bool, GitError> {
        let asked = self.git(git, "rev-parse").args(["--verify", "--quiet", "--end-of-options"]);
        let asked = asked.arg(format!("{commit}^{{commit}}")).run()?;
        Ok(asked.status.success() && String::from_utf8_lossy(&asked.stdout).trim_end() == commit)
    }
}

fn files(source: io::Error) -> GitError {
    GitError::Files { verb: "init", source }
}
