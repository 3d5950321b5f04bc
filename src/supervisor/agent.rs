//! The agent's process: how it is started, and its streams.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::{fs::OpenOptionsExt as _, process::CommandExt as _},
    path::Path,
    process::Stdio,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
};

use super::{
    arguments::Enter,
    execution::{Execution, make_private_folder},
    holding::Held,
    program::OWN_PROGRAM,
};
use crate::{
    agents::PrivateFile,
    ids::Secret,
    process::{Pid, Process},
};

/// How much is read from a pipe at once, in bytes.
const CHUNK: usize = 64 << 10;

/// An agent program that was started.
pub(super) struct Agent {
    /// Its process, to be waited for.
    pub(super) child: Child,
    /// The same, to be signalled; leader of its own session and group.
    pub(super) process: Process,
    /// What it writes.
    pub(super) stdout: Pipe<ChildStdout>,
    /// What it complains about.
    pub(super) stderr: Pipe<ChildStderr>,
}

/// Starts the agent as it is `held`, through `callbox enter`, in the directory of the run. To be called from the main
/// thread: the death signal fires when the thread that started a process ends.
pub(super) fn start(
    execution: &Execution,
    held: Held,
    input: Vec<u8>,
    environment: &BTreeMap<String, Secret>,
) -> io::Result<Agent> {
    let enter = Enter {
        parent: Pid::current(),
        umask: execution.umask,
        fence: held.fence,
        program: held.program,
        arguments: held.arguments,
    };
    let mut start = std::process::Command::new(OWN_PROGRAM);
    start.arg0("callbox").args(enter.write()).current_dir(execution.directory());
    start.env_clear().envs(environment.iter().map(|(name, value)| (name, value.expose())));
    start.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut start = Command::from(start);
    let mut child = execution.family.spawn(&mut start)?;
    let gone = || io::Error::other("the agent was gone before it was seen");
    let process = child.id().and_then(Pid::new).ok_or_else(gone)?;
    let process = Process::of(process).map_err(io::Error::other)?;
    let (stdout, stderr) = (Pipe::new(child.stdout.take()), Pipe::new(child.stderr.take()));
    if let Some(stdin) = child.stdin.take() {
        tokio::spawn(feed(stdin, input));
    }
    Ok(Agent { child, process, stdout, stderr })
}

/// A program that ends without reading everything says why in its own way.
async fn feed(mut stdin: ChildStdin, input: Vec<u8>) {
    let _ = stdin.write_all(&input).await;
}

/// Reads what comes until it is closed or given up.
pub(super) struct Pipe<R> {
    stream: Option<R>,
    buffer: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Pipe<R> {
    fn new(stream: Option<R>) -> Self {
        Self { stream, buffer: vec![0; CHUNK] }
    }

    /// Whether more may come.
    pub(super) fn is_open(&self) -> bool {
        self.stream.is_some()
    }

    /// Waits for more; its length. Cancelling loses nothing.
    pub(super) async fn read(&mut self) -> usize {
        let read = match &mut self.stream {
            // A pipe that fails is a closed one: the exit status decides.
            Some(stream) => stream.read(&mut self.buffer).await.unwrap_or(0),
            None => 0,
        };
        if read == 0 {
            self.stream = None;
        }
        read
    }

    /// What the last `length` bytes read were.
    pub(super) fn bytes(&self, length: usize) -> &[u8] {
        &self.buffer[..length]
    }
}

/// The files of a command; removed when dropped, since they hold the token.
#[derive(Debug)]
pub(super) struct PrivateFiles<'a> {
    files: &'a [PrivateFile],
}

impl<'a> PrivateFiles<'a> {
    /// Writes them with mode 0600, in the place of what was left over, and makes the folders they stand in.
    pub(super) fn write(files: &'a [PrivateFile]) -> io::Result<Self> {
        let written = Self { files };
        for file in files {
            remove(&file.path)?;
            file.path.parent().map_or(Ok(()), make_private_folder)?;
            let mut opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file.path)?;
            opened.write_all(file.contents.expose().as_bytes())?;
        }
        Ok(written)
    }
}

impl Drop for PrivateFiles<'_> {
    fn drop(&mut self) {
        for file in self.files {
            if let Err(error) = remove(&file.path) {
                tracing::error!(%error, "a file of the agent could not be removed");
            }
        }
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}
