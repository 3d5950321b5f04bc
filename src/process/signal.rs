//! Signals, sent to a process and never to whoever got its number.

use rustix::{
    io::Errno,
    process::{PidfdFlags, pidfd_open, pidfd_send_signal},
};

use super::running::Process;

/// The signals that end or stop a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGHUP.
    Hangup,
    /// SIGKILL.
    Kill,
    /// SIGSTOP: not ended, and nothing happens until SIGCONT.
    Stop,
}

/// Sends `signal` to `process`. Nothing happens when it has ended.
///
/// The pidfd is opened first and the identity checked after: from then on the descriptor can mean no
/// other process, whatever becomes of the pid.
pub fn signal(process: Process, signal: Signal) -> std::io::Result<()> {
    let descriptor = match pidfd_open(process.pid.kernel(), PidfdFlags::empty()) {
        Ok(descriptor) => descriptor,
        Err(Errno::SRCH) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    if process.stat().map_err(std::io::Error::other)?.is_none() {
        return Ok(());
    }
    let number = match signal {
        Signal::Interrupt => rustix::process::Signal::INT,
        Signal::Terminate => rustix::process::Signal::TERM,
        Signal::Hangup => rustix::process::Signal::HUP,
        Signal::Kill => rustix::process::Signal::KILL,
        Signal::Stop => rustix::process::Signal::STOP,
    };
    match pidfd_send_signal(&descriptor, number) {
        Ok(()) | Err(Errno::SRCH) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        os::unix::process::ExitStatusExt,
        process::{Command, Stdio},
    };

    use super::*;
    use crate::process::Pid;

    #[test]
    fn a_reused_pid_is_not_signalled_and_the_process_itself_is() {
        let mut child = Command::new("sh").args(["-c", "read line"]).stdin(Stdio::piped()).spawn().unwrap();
        let real = Process::of(Pid::new(child.id()).unwrap()).unwrap();
        let earlier = Process { started: real.started - 1, ..real };
        signal(earlier, Signal::Kill).unwrap();
        signal(real, Signal::Terminate).unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(15));
        signal(real, Signal::Kill).unwrap();
    }
}
