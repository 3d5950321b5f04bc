//! What the terminal and the system tell a command that follows a run.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::cli::error::{CliError, ErrorKind};

/// One thing that was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// Ctrl-C, which everything in the terminal's foreground gets.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGHUP: the terminal is gone, or a service manager wants the configuration read again.
    Hangup,
}

/// Hears SIGINT, SIGTERM and SIGHUP from when it is made: made before a task is submitted, so that
/// no Ctrl-C ends this process while its task goes on.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Signals {
    /// Begins to hear them; they no longer end this process.
    pub(crate) fn listen() -> Result<Self, CliError> {
        let hear = |kind| signal(kind).map_err(|error| CliError::new(ErrorKind::Internal, error));
        Ok(Self {
            interrupt: hear(SignalKind::interrupt())?,
            terminate: hear(SignalKind::terminate())?,
            hangup: hear(SignalKind::hangup())?,
        })
    }

    /// The next one. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Told {
        tokio::select! {
            _ = self.interrupt.recv() => Told::Interrupt,
            _ = self.terminate.recv() => Told::Terminate,
            _ = self.hangup.recv() => Told::Hangup,
        }
    }
}
