//! Throw-away projects with real git, and a person's hands on them.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

/// A repository in a folder of its own, with one commit on `main`.
pub(crate) struct Repository {
    folder: TempDir,
}

impl Repository {
    /// A project with `README.md` and `src/lib.rs`.
    pub(crate) fn new() -> Self {
        Self::on_branch("main")
    }

    /// The same, whose one branch is called `branch`.
    pub(crate) fn on_branch(branch: &str) -> Self {
        let repository = Self::unborn(branch);
        repository.write("README.md", "a project\n");
        repository.write("src/lib.rs", "pub fn one() {}\n");
        repository.commit("the beginning");
        repository
    }

    /// A repository without a commit.
    pub(crate) fn unborn(branch: &str) -> Self {
        let repository = Self { folder: TempDir::new().unwrap() };
        fs::create_dir(repository.root()).unwrap();
        repository.git(["init", "-q", "-b", branch]);
        repository.git(["config", "user.name", "Pat Person"]);
        repository.git(["config", "user.email", "pat@example.com"]);
        repository
    }

    /// Another clone of it, as on another machine: without what its person has not pushed.
    pub(crate) fn cloned(&self) -> Self {
        let clone = Self { folder: TempDir::new().unwrap() };
        git(
            clone.folder.path(),
            [OsStr::new("clone"), OsStr::new("-q"), self.root().as_os_str(), OsStr::new("project")],
        );
        clone.git(["config", "user.name", "Sam Other"]);
        clone.git(["config", "user.email", "sam@example.com"]);
        clone
    }

    /// The work tree.
    pub(crate) fn root(&self) -> PathBuf {
        self.beside("project")
    }

    /// A path beside the work tree, for whatever a test needs.
    pub(crate) fn beside(&self, name: impl AsRef<OsStr>) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join(name.as_ref())
    }

    /// Writes a file, with its folders.
    pub(crate) fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        write(&self.root(), path, text);
    }

    /// Commits everything; the new commit.
    pub(crate) fn commit(&self, message: &str) -> String {
        commit(&self.root(), message)
    }

    /// Runs the person's git in the work tree, which must succeed; what it says.
    pub(crate) fn git<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> String {
        git(&self.root(), arguments)
    }
}

/// Writes a file below `root`, with its folders.
pub(crate) fn write(root: &Path, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Commits everything in `root`; the new commit.
pub(crate) fn commit(root: &Path, message: &str) -> String {
    git(root, ["add", "-A"]);
    git(root, ["commit", "-q", "--allow-empty", "-m", message]);
    git(root, ["rev-parse", "HEAD"])
}

/// Runs a plain git in `root`, which must succeed; what it says, without the last line end.
#[track_caller]
pub(crate) fn git<S: AsRef<OsStr>>(root: &Path, arguments: impl IntoIterator<Item = S>) -> String {
    let output = try_git(root, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned()
}

/// Runs a plain git in `root`, however it ends. Nothing of this machine's configuration counts.
pub(crate) fn try_git<S: AsRef<OsStr>>(root: &Path, arguments: impl IntoIterator<Item = S>) -> Output {
    let mut command = Command::new("git");
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    command.env("HOME", "/nonexistent").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_ADVICE", "0");
    command.args(["-c", "protocol.file.allow=always", "-c", "safe.directory=*"]);
    command.current_dir(root).args(arguments).output().unwrap()
}
