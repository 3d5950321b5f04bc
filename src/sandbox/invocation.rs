//! One run of git: nothing on its input but what it is given, its output read within a limit, and a
//! time after which it and all it started are ended.

use std::{
    ffi::OsStr,
    io::{self, Read, Write as _},
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};

use super::{configuration::OVERRIDES, git_error::GitError};

/// The most that is kept of what git complains about.
const STDERR_LIMIT: usize = 64 << 10;
/// The most that a list of names or refs may take; a tree with a million files fits.
const LIST_LIMIT: usize = 256 << 20;

/// One run of git, being put together.
#[derive(Debug)]
pub(super) struct Invocation {
    command: Command,
    verb: &'static str,
    input: Vec<u8>,
    overrides: usize,
    time_limit: Duration,
}

/// Output that was read up to a limit.
#[derive(Debug)]
pub(super) struct Capped {
    /// The bytes up to the limit.
    pub(super) bytes: Vec<u8>,
    /// Whether that was all.
    pub(super) complete: bool,
}

impl Invocation {
    pub(super) fn new(mut command: Command, verb: &'static str, time_limit: Duration) -> Self {
        command.arg(verb);
        Self { command, verb, input: Vec::new(), overrides: OVERRIDES.len(), time_limit }
    }

    /// Runs in `root`, and never in a repository above it.
    pub(super) fn within(mut self, root: &Path) -> Self {
        self.command.current_dir(root);
        match root.parent() {
            Some(parent) => self.env("GIT_CEILING_DIRECTORIES", parent),
            None => self,
        }
    }

    /// Runs in `folder`, whatever repository is named for it.
    pub(super) fn in_folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Lets git look for the repository in the folders above the current one.
    pub(super) fn upwards(mut self) -> Self {
        self.command.env_remove("GIT_CEILING_DIRECTORIES");
        self
    }

    pub(super) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    pub(super) fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.command.args(arguments);
        self
    }

    pub(super) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(super) fn input(mut self, input: Vec<u8>) -> Self {
        self.input = input;
        self
    }

    /// Sets a configuration value that wins over every file, in git itself and not in the
    /// `upload-pack` it starts.
    pub(super) fn config(mut self, key: &str, value: &str) -> Self {
        let index = self.overrides;
        self.overrides += 1;
        self.env(&format!("GIT_CONFIG_KEY_{index}"), key)
            .env(&format!("GIT_CONFIG_VALUE_{index}"), value)
            .env("GIT_CONFIG_COUNT", (index + 1).to_string())
    }

    /// Runs it; what it says on stdout if it succeeds.
    pub(super) fn succeed(self) -> Result<Vec<u8>, GitError> {
        let verb = self.verb;
        let output = self.run()?;
        if output.status.success() { Ok(output.stdout) } else { Err(GitError::failed(verb, &output)) }
    }

    /// Runs it; one line of text if it succeeds.
    pub(super) fn line(self) -> Result<String, GitError> {
        let verb = self.verb;
        let output = self.succeed()?;
        match std::str::from_utf8(&output).map(|text| text.trim_end_matches('\n')) {
            Ok(line) if !line.contains('\n') => Ok(line.to_owned()),
            _ => Err(GitError::answer(verb, &output)),
        }
    }

    /// Runs it, however it ends.
    pub(super) fn run(self) -> Result<Output, GitError> {
        let verb = self.verb;
        let (output, complete) = self.read(LIST_LIMIT)?;
        if complete { Ok(output) } else { Err(GitError::TooMuch { verb, limit: LIST_LIMIT }) }
    }

    /// Runs it and reads `limit` bytes of what it says; the rest is cut off.
    pub(super) fn capped(self, limit: usize) -> Result<Capped, GitError> {
        let verb = self.verb;
        let (output, complete) = self.read(limit)?;
        // A git whose output is no longer read ends badly, and nothing is wrong with that.
        if complete && !output.status.success() {
            return Err(GitError::failed(verb, &output));
        }
        Ok(Capped { bytes: output.stdout, complete })
    }

    fn read(mut self, limit: usize) -> Result<(Output, bool), GitError> {
        let verb = self.verb;
        self.command.stdin(if self.input.is_empty() { Stdio::null() } else { Stdio::piped() });
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = self.command.spawn().map_err(|source| match source.kind() {
            // The current directory may be what is not there.
            io::ErrorKind::NotFound if !Path::new(self.command.get_program()).exists() => GitError::Missing,
            _ => GitError::Start { verb, source },
        })?;
        let deadline = Instant::now() + self.time_limit;
        let mut started = Vec::new();
        if let Some(mut stdin) = child.stdin.take() {
            // A git that ends early does not read all of it; its exit status says what there is to say.
            let input = self.input;
            started.push(thread::Builder::new().spawn(move || drop(stdin.write_all(&input))).map(drop));
        }
        let (stdout, reads) = spawn_reader(child.stdout.take(), limit);
        let (stderr, reads_errors) = spawn_reader(child.stderr.take(), STDERR_LIMIT);
        started.extend([reads, reads_errors]);
        if let Some(source) = started.into_iter().find_map(Result::err) {
            end(&mut child);
            return Err(GitError::Start { verb, source });
        }
        let read = |pipe: &mpsc::Receiver<Capped>| {
            pipe.recv_timeout(deadline.saturating_duration_since(Instant::now()))
        };
        let (Ok(stdout), Ok(stderr)) = (read(&stdout), read(&stderr)) else {
            end(&mut child);
            return Err(GitError::TimedOut { verb, seconds: self.time_limit.as_secs() });
        };
        let status = child.wait().map_err(|source| GitError::Start { verb, source })?;
        Ok((Output { status, stdout: stdout.bytes, stderr: stderr.bytes }, stdout.complete))
    }
}

/// What a thread of its own reads, and whether there is such a thread.
fn spawn_reader(
    pipe: Option<impl Read + Send + 'static>,
    limit: usize,
) -> (mpsc::Receiver<Capped>, io::Result<()>) {
    let (sender, receiver) = mpsc::channel();
    let started = thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // A failing pipe is a closed one: the exit status decides.
            drop(pipe.take(limit as u64 + 1).read_to_end(&mut bytes));
        }
        let complete = bytes.len() <= limit;
        bytes.truncate(limit);
        // Nobody listens any more once the time is up.
        drop(sender.send(Capped { bytes, complete }));
    });
    (receiver, started.map(drop))
}

/// Ends git and the helpers it started: they share its process group.
fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // Gone already is as good as ended.
        let _ = kill_process_group(group, Signal::KILL);
    }
    drop(child.wait());
}
