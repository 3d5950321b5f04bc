//! A process by its identity, and how it is looked up.

use std::{fs, io};

use super::{pid::Pid, stat::Stat};
use crate::vocabulary::Shortage;

/// One process, by pid and start: equal only to itself, also after its pid was given to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Process {
    /// Its id.
    pub pid: Pid,
    /// When it started, in clock ticks after boot.
    pub started: u64,
}

/// Why a process could not be looked up.
#[derive(Debug, thiserror::Error)]
pub enum ReadProcessError {
    /// There is none of this id, or none any more.
    #[error("process {pid} is gone")]
    Gone {
        /// The id asked for.
        pid: Pid,
    },
    /// The kernel shows it to others only, or `/proc` is not mounted.
    #[error("process {pid} could not be read")]
    Unreadable {
        /// The id asked for.
        pid: Pid,
        /// What the kernel said.
        source: io::Error,
    },
}

impl ReadProcessError {
    /// For whoever lists processes: one that is gone or hidden is left out, and one that was not looked at for
    /// lack of descriptors or memory is not.
    pub(super) fn passed_over(self) -> io::Result<()> {
        match self {
            Self::Gone { .. } => Ok(()),
            Self::Unreadable { source, .. } => shown(Err(source)).map(|_: Option<()>| ()),
        }
    }
}

impl Process {
    /// This process.
    pub fn current() -> Result<Self, ReadProcessError> {
        Self::of(Pid::current())
    }

    /// The process that has `pid` now, ended or not.
    pub fn of(pid: Pid) -> Result<Self, ReadProcessError> {
        read(pid).map(|stat| Self { pid, started: stat.started })
    }

    /// Whether it has not ended. A process that nobody asked about yet (a zombie) has ended; one that cannot
    /// be looked at is not known to have.
    pub fn is_alive(self) -> bool {
        self.stat().map_or(true, |stat| stat.is_some_and(|stat| !stat.ended))
    }

    /// What the kernel says of it now; `None` when it is gone or its pid is another's.
    pub(super) fn stat(self) -> Result<Option<Stat>, ReadProcessError> {
        match read(self.pid) {
            Ok(stat) => Ok(Some(stat).filter(|stat| stat.started == self.started)),
            Err(ReadProcessError::Gone { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

pub(super) fn read(pid: Pid) -> Result<Stat, ReadProcessError> {
    let line = fs::read(format!("/proc/{pid}/stat")).map_err(|source| {
        // ESRCH: it ended between opening and reading.
        let gone = source.kind() == io::ErrorKind::NotFound
            || source.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error());
        if gone { ReadProcessError::Gone { pid } } else { ReadProcessError::Unreadable { pid, source } }
    })?;
    Stat::parse(&line).ok_or_else(|| ReadProcessError::Unreadable {
        pid,
        source: io::Error::new(io::ErrorKind::InvalidData, "its stat line has another form"),
    })
}

/// Every process there is, with what the kernel says of it. Those that end meanwhile are left out, and those
/// that the kernel hides; whoever cannot look for lack of descriptors or memory learns nothing.
pub(super) fn all() -> io::Result<Vec<(Process, Stat)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<Pid>().ok()) else { continue };
        match read(pid) {
            Ok(stat) => found.push((Process { pid, started: stat.started }, stat)),
            Err(error) => error.passed_over()?,
        }
    }
    Ok(found)
}

/// What was looked at; `None` where the kernel does not show it. An error where it was not looked at for
/// lack of descriptors or memory, which says nothing about it.
pub(super) fn shown<T>(looked: io::Result<T>) -> io::Result<Option<T>> {
    match looked {
        Ok(found) => Ok(Some(found)),
        Err(error) if Shortage::of(&error).is_some() => Err(error),
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_that_was_waited_for_is_gone_and_one_that_was_not_has_ended() {
        let mut child =
            Command::new("sh").args(["-c", "read line"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
        let process = Process::of(Pid::new(child.id()).unwrap()).unwrap();
        assert!(process.is_alive());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!process.is_alive());
        assert!(process.stat().unwrap().is_none());
    }

    #[test]
    fn a_pid_with_another_start_is_another_process() {
        let real = Process::current().unwrap();
        let other = Process { started: real.started + 1, ..real };
        assert!(real.is_alive());
        assert!(!other.is_alive());
    }

    #[test]
    fn no_process_has_the_highest_number() {
        let pid = Pid::new(i32::MAX.unsigned_abs()).unwrap();
        assert!(matches!(Process::of(pid), Err(ReadProcessError::Gone { .. })));
    }
}
