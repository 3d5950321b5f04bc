//! The program that speaks the protocol: how it is started, and how it is ended.

use std::{io, process::Stdio, time::Duration};

use tokio::{
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

use super::told::Told;
use crate::process::{Pid, Process, Signal, signal};

/// How long it may take to end once its input has. Most that go on then go on for ever.
const AT_END: Duration = Duration::from_millis(500);

/// How long it may take after SIGTERM.
const AT_TERM: Duration = Duration::from_millis(1500);

/// How long SIGKILL may take before it is left to the supervisor, which ends the whole tree.
const AT_KILL: Duration = Duration::from_secs(2);

/// A program that was started.
pub(super) struct Program {
    child: Child,
}

/// Starts what `told` names. It leads a process group of its own, so that a signal for the group of this process is
/// taken here first, and the program is told by its protocol.
pub(super) fn start(told: &Told) -> io::Result<(Program, ChildStdin, ChildStdout)> {
    let mut command = Command::new(&told.program);
    command.args(&told.arguments).current_dir(&told.directory).process_group(0).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn()?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("its streams could not be had"));
    };
    Ok((Program { child }, stdin, stdout))
}

impl Program {
    /// Ends it, whose input is closed: it is given time to go by itself, then asked, then killed.
    pub(super) async fn end(mut self) {
        if timeout(AT_END, self.child.wait()).await.is_ok() {
            return;
        }
        if let Some(Ok(process)) = self.child.id().and_then(Pid::new).map(Process::of) {
            let _ = signal(process, Signal::Terminate);
        }
        if timeout(AT_TERM, self.child.wait()).await.is_ok() {
            return;
        }
        let _ = self.child.start_kill();
        let _ = timeout(AT_KILL, self.child.wait()).await;
    }
}
