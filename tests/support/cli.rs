//! A person at a desk: a home and a state directory of their own, and `callbox` as they would type it.

use std::{
    ffi::OsStr,
    fmt, fs,
    io::{ErrorKind, Read, Write as _},
    os::unix::{
        fs::{PermissionsExt as _, symlink},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread::{self, JoinHandle},
    time::Duration,
};

use tempfile::TempDir;

use super::{
    programs::skipped,
    shim::SHIM,
    wait::{SOON, wait_until},
};

/// The program.
pub(crate) const CALLBOX: &str = env!("CARGO_BIN_EXE_callbox");
/// Long enough for a whole run on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// One person's home, with nothing on the PATH but git and a shell.
pub(crate) struct Desk {
    folder: TempDir,
    program: PathBuf,
    /// Where the test sees the root of those file systems that the commands see.
    root: PathBuf,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let desk = Self { folder: TempDir::new().unwrap(), program: CALLBOX.into(), root: "/".into() };
        for folder in ["home", "bin", "tmp"] {
            fs::create_dir(desk.path(folder)).unwrap();
        }
        for program in ["git", "sh", "sleep", "cat", "env", "setsid"] {
            desk.offer(program);
        }
        desk
    }

    /// Puts a program that the tests have on the PATH of this person too.
    pub(crate) fn offer(&self, program: &str) {
        match symlink(found(program), self.path("bin").join(program)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            offered => offered.unwrap(),
        }
    }

    /// The same, with an installation of its own in `opt`, which a test may damage.
    pub(crate) fn with_own_installation() -> Self {
        let mut desk = Self::new();
        fs::create_dir(desk.path("opt")).unwrap();
        desk.program = desk.path("opt/callbox");
        for program in [CALLBOX, SHIM] {
            fs::copy(program, desk.path("opt").join(Path::new(program).file_name().unwrap())).unwrap();
        }
        desk
    }

    /// The same, of somebody who is not root and has none of root's privileges, whoever runs the tests: each
    /// command in a user namespace of its own. `None` where there are none, which is said loudly.
    #[track_caller]
    pub(crate) fn of_an_ordinary_user() -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            return Some(Self::new());
        }
        let Some(unshare) = on_the_path("unshare") else {
            skipped("the program `unshare` is needed to be an ordinary user");
            return None;
        };
        let into = ["--user", "--map-user=1000", "--map-group=1000", "--"];
        if !Command::new(&unshare).args(into).arg(found("true")).status().is_ok_and(|status| status.success())
        {
            skipped("user namespaces are needed to be an ordinary user");
            return None;
        }
        let mut desk = Self::new();
        desk.lead_through(&format!("'{}' {}", unshare.display(), into.join(" ")));
        Some(desk)
    }

    /// A desk of the user with the number `uid`, who is really another one. `None` where only this user can be had, which
    /// is said loudly.
    #[track_caller]
    pub(crate) fn of_another_user(uid: u32) -> Option<Self> {
        let setpriv = on_the_path("setpriv").filter(|_| rustix::process::geteuid().is_root());
        let Some(setpriv) = setpriv else {
            skipped("root and the program `setpriv` are needed to be another user");
            return None;
        };
        let mut desk = Self::new();
        desk.lead_through(&format!("'{}' --reuid={uid} --regid={uid} --clear-groups --", setpriv.display()));
        give(desk.folder.path(), uid);
        Some(desk)
    }

    /// From now on every command is started by what a shell calls `starter`.
    pub(crate) fn lead_through(&mut self, starter: &str) {
        let text = format!("#!/bin/sh\nexec {starter} '{CALLBOX}' \"$@\"\n");
        self.program = self.write("opt/callbox", &text);
        fs::set_permissions(&self.program, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// From now on the state directory is looked at below `root`, as a process sees it.
    pub(crate) fn see_through(&mut self, root: PathBuf) {
        self.root = root;
    }

    /// A path on the desk.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Where the state directory stands once there is one.
    pub(crate) fn state(&self) -> PathBuf {
        let state = self.path("home/.local/state/callbox");
        self.root.join(state.strip_prefix("/").unwrap())
    }

    /// Whether anything was ever queued here: refused commands must leave no database.
    pub(crate) fn has_database(&self) -> bool {
        self.state().join("callbox.db").exists()
    }

    /// Writes a file on the desk; its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Where task `task` stands.
    #[track_caller]
    pub(crate) fn standing(&self, task: &str) -> String {
        let shown = self.callbox(["show", task, "--json"]).end().expect(0).json();
        shown["task"]["state"].as_str().unwrap().to_owned()
    }

    /// `callbox` with `arguments`, not yet started.
    pub(crate) fn callbox<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Call {
        let mut command = Command::new(&self.program);
        command.args(arguments).env_clear().current_dir(self.path("home"));
        command.env("HOME", self.path("home")).env("PATH", self.path("bin")).env("TMPDIR", self.path("tmp"));
        command.env("USER", "pat").env("LANG", "C.UTF-8").env("TERM", "dumb");
        Call { command, stdin: Vec::new(), shown_by: None }
    }
}

/// A command line that is about to be started.
pub(crate) struct Call {
    command: Command,
    stdin: Vec<u8>,
    shown_by: Option<Stdio>,
}

impl Call {
    /// In this directory.
    pub(crate) fn within(mut self, directory: impl AsRef<Path>) -> Self {
        self.command.current_dir(directory);
        self
    }

    /// With this variable.
    pub(crate) fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Without this variable.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// With this on standard input.
    pub(crate) fn stdin(mut self, text: &str) -> Self {
        self.stdin = text.as_bytes().to_vec();
        self
    }

    /// With its standard output there instead of in what is told of its end.
    pub(crate) fn showing_on(mut self, place: impl Into<Stdio>) -> Self {
        self.shown_by = Some(place.into());
        self
    }

    /// As the leader of a process group of its own, like a job in a terminal.
    pub(crate) fn in_a_group(mut self) -> Self {
        self.command.process_group(0);
        self
    }

    /// As somebody whom the modes of files and folders keep out, which root is not. `None` where root
    /// cannot give that up, which is said loudly.
    #[track_caller]
    pub(crate) fn without_privileges(mut self) -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            return Some(self);
        }
        let Some(setpriv) = on_the_path("setpriv") else {
            skipped("root needs the program `setpriv` to be kept out of a folder");
            return None;
        };
        let mut command = Command::new(setpriv);
        command.args(["--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]);
        command.arg(self.command.get_program()).args(self.command.get_args());
        command.env_clear().current_dir(self.command.get_current_dir().unwrap());
        for (name, value) in self.command.get_envs() {
            command.env(name, value.unwrap());
        }
        self.command = command;
        Some(self)
    }

    /// Starts it and waits for its end.
    #[track_caller]
    pub(crate) fn end(self) -> Ended {
        self.start().end()
    }

    /// Starts it.
    pub(crate) fn start(mut self) -> Running {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(place) = self.shown_by.take() {
            self.command.stdout(place);
        }
        let mut started = None;
        // A program that a test just wrote is busy for as long as a child that another test forked meanwhile holds
        // its descriptor.
        wait_until("the program can be started", SOON, || match self.command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => false,
            spawned => {
                started = Some(spawned.unwrap());
                true
            }
        });
        let mut child = started.unwrap();
        let (stdout, stderr) = (reader(child.stdout.take()), reader(child.stderr.take()));
        // A command that reads nothing may have ended already.
        let _ = child.stdin.take().unwrap().write_all(&self.stdin);
        Running { child, stdout, stderr }
    }
}

/// A `callbox` that runs.
pub(crate) struct Running {
    child: Child,
    stdout: JoinHandle<String>,
    stderr: JoinHandle<String>,
}

impl Running {
    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end.
    #[track_caller]
    pub(crate) fn end(self) -> Ended {
        self.end_within(PATIENCE)
    }

    /// Waits so long for its end.
    #[track_caller]
    pub(crate) fn end_within(mut self, patience: Duration) -> Ended {
        let mut status: Option<ExitStatus> = None;
        wait_until("callbox has ended", patience, || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        let status = status.unwrap().code().unwrap_or(-1);
        Ended { status, stdout: self.stdout.join().unwrap(), stderr: self.stderr.join().unwrap() }
    }
}

/// What a command said, and how it ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit status; -1 where a signal ended it.
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Fails unless it ended with `status`.
    #[track_caller]
    pub(crate) fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{self}");
        self
    }

    /// Fails unless it said `words` on standard error.
    #[track_caller]
    pub(crate) fn says(self, words: &str) -> Self {
        assert!(self.stderr.contains(words), "no {words:?} in\n{self}");
        self
    }

    /// What it printed, as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{self}"))
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "status: {}\n--- stdout\n{}--- stderr\n{}", self.status, self.stdout, self.stderr)
    }
}

fn found(program: &str) -> PathBuf {
    on_the_path(program).unwrap_or_else(|| panic!("no `{program}`"))
}

/// Where the program of this name is on the tests' own PATH.
pub(crate) fn on_the_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}

fn reader(stream: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            stream.read_to_end(&mut bytes).unwrap();
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Has everything at `path` belong to the user with the number `uid`.
pub(crate) fn give(path: &Path, uid: u32) {
    std::os::unix::fs::lchown(path, Some(uid), Some(uid)).unwrap();
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path).unwrap() {
            give(&entry.unwrap().path(), uid);
        }
    }
}
