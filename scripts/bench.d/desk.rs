//! A throw-away home, project and state directory, with a store that stays.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use crate::programs;

/// Everything of one run of the bench. Dropped, the store is stopped and the folder removed.
pub(crate) struct Desk {
    folder: TempDir,
    store: Option<Child>,
}

impl Desk {
    /// Makes the folders below cargo's `target`, where the file system is a disk's and not memory's, and
    /// starts `callbox serve`.
    pub(crate) fn open() -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("bench-").tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        let mut desk = Self { folder, store: None };
        for name in ["home", "bin"] {
            fs::create_dir(desk.path(name))?;
        }
        symlink(programs::beside("agent"), desk.path("bin/claude"))?;
        desk.share_place()?;
        desk.make_project()?;
        desk.serve()?;
        Ok(desk)
    }

    /// Starts `callbox serve` and waits until it answers.
    pub(crate) fn serve(&mut self) -> Result<()> {
        let mut serve = self.callbox(&["serve"]);
        let mut store = serve.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let said = store.stderr.take().context("its stderr is piped")?;
        self.store = Some(store);
        let mut first = String::new();
        BufReader::new(said).read_line(&mut first)?;
        ensure!(first.contains("is ready"), "the store did not begin: {first}");
        Ok(())
    }

    /// Ends the store.
    pub(crate) fn stop(&mut self) -> Result<()> {
        if let Some(mut store) = self.store.take() {
            store.kill()?;
            store.wait()?;
        }
        Ok(())
    }

    /// The process of the store, where one runs.
    pub(crate) fn store(&self) -> Option<u32> {
        self.store.as_ref().map(Child::id)
    }

    /// A path in the folder.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `callbox` with `arguments`, as somebody at this desk would type it.
    pub(crate) fn callbox(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(programs::CALLBOX);
        command.args(arguments).current_dir(self.path("project")).env_clear();
        command.env("HOME", self.path("home")).env("CALLBOX_STATE", self.path("state"));
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", self.path("bin").display()));
        command.env("TMPDIR", std::env::temp_dir()).stdin(Stdio::null());
        command
    }

    /// Runs git in `directory`.
    pub(crate) fn git(&self, directory: &Path, arguments: &[&str]) -> Result<Output> {
        let identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
        let mut git = Command::new("git");
        git.args(identity).args(arguments).current_dir(directory);
        let output = git.env("HOME", self.path("home")).output()?;
        ensure!(output.status.success(), "`git {arguments:?}`: {}", String::from_utf8_lossy(&output.stderr));
        Ok(output)
    }

    /// A folder that agents may write to, isolated as they are.
    pub(crate) fn shared(&self) -> PathBuf {
        self.path("shared")
    }

    fn share_place(&self) -> Result<()> {
        fs::create_dir(self.shared())?;
        let configuration = self.path("home/.config/callbox");
        fs::create_dir_all(&configuration)?;
        let caches = format!("caches = ['{}']\n", self.shared().display());
        Ok(fs::write(configuration.join("config.toml"), caches)?)
    }

    /// A small project: 60 files of 2 KiB in two commits.
    fn make_project(&self) -> Result<()> {
        let project = self.path("project");
        fs::create_dir(&project)?;
        self.git(&project, &["init", "-q", "-b", "main"])?;
        for commit in ["first", "second"] {
            for number in 0..30 {
                let text = format!("{commit} {number}\n").repeat(2048 / 10);
                let folder = project.join(format!("part{}", number % 5));
                fs::create_dir_all(&folder)?;
                fs::write(folder.join(format!("{commit}-{number}.txt")), text)?;
            }
            self.git(&project, &["add", "-A"])?;
            self.git(&project, &["commit", "-q", "-m", commit])?;
        }
        Ok(())
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        if let Some(mut store) = self.store.take() {
            // What it holds is thrown away with the folder.
            let _ = store.kill();
            let _ = store.wait();
        }
    }
}
