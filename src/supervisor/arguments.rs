//! The command lines of the two hidden words, read by hand: only callbox itself writes them.

use std::{ffi::OsString, path::PathBuf};

use crate::{ids::ExecutionNumber, isolation::Fence, process::Pid};

/// What callbox wrote was not what callbox reads.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("wrong usage: {usage}")]
pub(super) struct UsageError {
    usage: &'static str,
}

/// `callbox supervise --state DIR --execution x31`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Supervise {
    /// The state directory.
    pub(super) state: PathBuf,
    /// The execution.
    pub(super) execution: ExecutionNumber,
}

/// `callbox enter --parent PID --umask MODE [--hide FOLDER [--read PATH]… [--write PATH]…] -- PROGRAM
/// ARGUMENTS…`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Enter {
    /// Who must still be the parent when everything is in place.
    pub(super) parent: Pid,
    /// The file mode mask of the agent, as an octal number.
    pub(super) umask: u32,
    /// Where the agent may go; anywhere when absent.
    pub(super) fence: Option<Fence>,
    /// The program.
    pub(super) program: OsString,
    /// Its arguments.
    pub(super) arguments: Vec<OsString>,
}

impl Supervise {
    /// Reads what stands behind `supervise`.
    pub(super) fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, UsageError> {
        let refused = || UsageError { usage: "callbox supervise --state DIR --execution NUMBER" };
        let mut arguments = arguments.into_iter();
        let state = value(&mut arguments, "--state").ok_or_else(refused)?;
        let execution = number(&mut arguments, "--execution").ok_or_else(refused)?;
        if arguments.next().is_some() {
            return Err(refused());
        }
        Ok(Self { state: state.into(), execution })
    }
}

impl Enter {
    /// Reads what stands behind `enter`.
    pub(super) fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, UsageError> {
        let refused = || UsageError {
            usage: "callbox enter --parent PID --umask MODE [--hide FOLDER [--read PATH]… [--write PATH]…] -- PROGRAM ARGUMENTS…",
        };
        let mut arguments = arguments.into_iter();
        let parent = number(&mut arguments, "--parent").ok_or_else(refused)?;
        let umask = value(&mut arguments, "--umask").ok_or_else(refused)?;
        let umask = umask.to_str().and_then(|mode| u32::from_str_radix(mode, 8).ok()).ok_or_else(refused)?;
        let fence = fence(&mut arguments, refused)?;
        let program = arguments.next().ok_or_else(refused)?;
        Ok(Self { parent, umask, fence, program, arguments: arguments.collect() })
    }

    /// The command line that [`Enter::read`] reads, `enter` itself included.
    pub(super) fn write(&self) -> Vec<OsString> {
        let mut line: Vec<OsString> = vec!["enter".into(), "--parent".into(), self.parent.to_string().into()];
        line.extend(["--umask".into(), format!("{:o}", self.umask).into()]);
        if let Some(Fence { hidden, readable, writable }) = &self.fence {
            line.extend(["--hide".into(), hidden.into()]);
            line.extend(readable.iter().flat_map(|path| ["--read".into(), path.into()]));
            line.extend(writable.iter().flat_map(|path| ["--write".into(), path.into()]));
        }
        line.push("--".into());
        line.push(self.program.clone());
        line.extend(self.arguments.iter().cloned());
        line
    }
}

/// What stands before `--`, and that itself; no fence where nothing does.
fn fence(
    arguments: &mut impl Iterator<Item = OsString>,
    refused: impl Fn() -> UsageError,
) -> Result<Option<Fence>, UsageError> {
    let mut fence = None::<Fence>;
    loop {
        let flag = arguments.next().ok_or_else(&refused)?;
        if flag == "--" {
            return Ok(fence);
        }
        let path = PathBuf::from(arguments.next().ok_or_else(&refused)?);
        match (flag.to_str(), &mut fence) {
            (Some("--hide"), None) => {
                fence = Some(Fence { hidden: path, readable: Vec::new(), writable: Vec::new() });
            }
            (Some("--read"), Some(fence)) => fence.readable.push(path),
            (Some("--write"), Some(fence)) => fence.writable.push(path),
            _ => return Err(refused()),
        }
    }
}

fn value(arguments: &mut impl Iterator<Item = OsString>, flag: &str) -> Option<OsString> {
    (arguments.next()? == flag).then(|| arguments.next())?
}

fn number<T: std::str::FromStr>(arguments: &mut impl Iterator<Item = OsString>, flag: &str) -> Option<T> {
    value(arguments, flag)?.to_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn supervise_needs_a_state_and_an_execution_and_nothing_else() {
        let read = Supervise::read(words("--state /s --execution x31")).unwrap();
        assert_eq!(read, Supervise { state: "/s".into(), execution: ExecutionNumber::new(31) });
        for line in [
            "",
            "--state /s",
            "--execution x31 --state /s",
            "--state /s --execution t1",
            "--state /s --execution x1 y",
        ] {
            assert!(Supervise::read(words(line)).is_err(), "{line}");
        }
    }

    #[test]
    fn the_programs_own_arguments_are_left_as_they_are() {
        let fence = Fence {
            hidden: "/s".into(),
            readable: vec!["/s/agent".into()],
            writable: vec!["/s/sandboxes/1/1".into(), "--".into()],
        };
        for fence in [None, Some(fence)] {
            let (program, arguments) = ("sh".into(), words("-c -- --parent 1"));
            let enter = Enter { parent: Pid::current(), umask: 0o22, fence, program, arguments };
            assert_eq!(Enter::read(enter.write().into_iter().skip(1)).unwrap(), enter);
        }
        for line in [
            "--parent 1 --umask 22 sh",
            "--parent 0 --umask 22 -- sh",
            "--parent 1 --umask 8 -- sh",
            "--parent 1 --umask 22 --",
            "--parent 1 --umask 22 --write /x -- sh",
            "--parent 1 --umask 22 --hide /x --hide /y -- sh",
            "--parent 1 --umask 22 --hide /x --reed /y -- sh",
            "--parent 1 --umask 22 --hide /x --read",
        ] {
            assert!(Enter::read(words(line)).is_err(), "{line}");
        }
    }
}
