//! Who is at the other end of a connection.

use std::{fmt, fs, io, path::PathBuf};

use tokio::net::unix::UCred;

use crate::{
    process::{Bearing, Pid, Process, ancestors},
    vocabulary::Shortage,
};

/// The process that connected, as it was at that moment. For records and guards, never for identity:
/// who speaks for an execution is decided by its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    /// Its process id; `None` where it lives outside this pid namespace.
    pub pid: Option<u32>,
    /// Its user.
    pub uid: u32,
    /// Its program's short name, as the kernel keeps it; `None` when it could not be read.
    pub program: Option<String>,
    /// The terminal it talks to.
    pub terminal: Option<PathBuf>,
    /// The process and its ancestors, youngest first; `None` when one of them was gone or hidden, or not
    /// looked at.
    pub(super) line: Option<Vec<Process>>,
    /// For lack of what nobody looked, where that is why.
    pub(super) unlooked: Option<Shortage>,
    /// What they carry of runs, youngest first.
    pub(super) bearings: Vec<Bearing>,
}

impl Peer {
    /// Looks at the process behind a connection. To be called as soon as it is accepted: the process
    /// may end and its id be given to another.
    pub fn look(credentials: &UCred) -> Self {
        let pid = credentials.pid().and_then(|pid| u32::try_from(pid).ok()).filter(|pid| *pid > 0);
        let (line, bearings, unlooked) = match pid.map(line_with_bearings) {
            Some(Ok((line, bearings))) => (Some(line), bearings, None),
            Some(Err(unlooked)) => (None, Vec::new(), unlooked),
            None => (None, Vec::new(), None),
        };
        Self {
            bearings,
            line,
            unlooked,
            pid,
            uid: credentials.uid(),
            program: pid.and_then(program),
            terminal: pid.and_then(terminal),
        }
    }
}

impl Peer {
    /// The process itself; `None` when it was gone or hidden.
    pub(super) fn process(&self) -> Option<Process> {
        self.line.as_ref()?.first().copied()
    }
}

/// The process `pid` and its ancestors, youngest first; `None` when one of them was gone or hidden:
/// whoever decides by the line must see all of it.
#[cfg(test)]
pub(super) fn line(pid: u32) -> Option<Vec<Process>> {
    line_with_bearings(pid).ok().map(|(line, _)| line)
}

/// The same with what they carry of runs. Both must be seen, and neither is taken for empty because there was
/// no descriptor to look with.
fn line_with_bearings(pid: u32) -> Result<(Vec<Process>, Vec<Bearing>), Option<Shortage>> {
    let line = ancestors(Pid::new(pid).ok_or(None)?).map_err(|error| Shortage::behind(&error))?;
    let bearings: io::Result<Vec<_>> = line.iter().map(|process| Bearing::of(*process)).collect();
    let bearings = bearings.map_err(|error| Shortage::of(&error))?;
    Ok((line, bearings.into_iter().flatten().collect()))
}

/// For the record of a decision: `callbox (process 4711, /dev/pts/3)`.
impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.program.as_deref().unwrap_or("an unknown program"))?;
        match (self.pid, &self.terminal) {
            (Some(pid), Some(terminal)) => write!(f, " (process {pid}, {})", terminal.display()),
            (Some(pid), None) => write!(f, " (process {pid})"),
            (None, _) => f.write_str(" (outside this pid namespace)"),
        }
    }
}

/// The kernel keeps 15 bytes of the name, and a process can set them to anything.
fn program(pid: u32) -> Option<String> {
    let name = fs::read(format!("/proc/{pid}/comm")).ok()?;
    let name = String::from_utf8_lossy(name.strip_suffix(b"\n").unwrap_or(&name));
    let shown: String = name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    (!shown.is_empty()).then_some(shown)
}

/// What the first standard stream that is a terminal leads to.
fn terminal(pid: u32) -> Option<PathBuf> {
    let streams = (0..3).filter_map(|stream| fs::read_link(format!("/proc/{pid}/fd/{stream}")).ok());
    let mut terminals = streams.filter(|path| {
        let path = path.as_os_str().as_encoded_bytes();
        let plain = path.iter().all(u8::is_ascii_graphic);
        plain && (path.starts_with(b"/dev/pts/") || path.starts_with(b"/dev/tty"))
    });
    terminals.next()
}

#[cfg(test)]
mod tests {
    use tokio::net::UnixStream;

    use super::*;

    #[tokio::test]
    async fn a_peer_is_described_for_the_record() {
        let (_ours, theirs) = UnixStream::pair().unwrap();
        let peer = Peer::look(&theirs.peer_cred().unwrap());
        assert_eq!(peer.pid, Some(std::process::id()));
        assert_eq!(peer.uid, rustix::process::geteuid().as_raw());
        assert!(peer.program.is_some());
        assert_eq!(peer.line.as_ref().unwrap()[0].pid, Pid::current());
        let peer = Peer { program: Some("callbox".to_owned()), pid: Some(4711), terminal: None, ..peer };
        assert_eq!(peer.to_string(), "callbox (process 4711)");
        let peer = Peer { terminal: Some("/dev/pts/3".into()), ..peer };
        assert_eq!(peer.to_string(), "callbox (process 4711, /dev/pts/3)");
        let peer = Peer { program: None, pid: None, ..peer };
        assert_eq!(peer.to_string(), "an unknown program (outside this pid namespace)");
    }
}
