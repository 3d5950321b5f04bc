//! What a machine has run out of, told from the system's own errors.
//!
//! Neither a fault of callbox nor of an agent: whoever meets one says which it is and what to do, and nothing
//! that could not be looked at for its sake is taken for absent.

use std::{error::Error, io};

/// `EMFILE` and `ENFILE`, for which the standard library has no kind.
const NO_DESCRIPTORS: [i32; 2] = [24, 23];

/// What is used up or cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shortage {
    /// The disk, or what one may use of it, is full.
    Disk,
    /// The file system is read-only.
    ReadOnly,
    /// The process, or the machine, may open no more files.
    Files,
    /// The user may start no more processes and threads.
    Processes,
    /// Memory.
    Memory,
}

impl Shortage {
    /// The shortage behind an error of the system's, where it is one. Only of calls that wait for nothing: of
    /// others the same number says that there is nothing yet.
    pub fn of(error: &io::Error) -> Option<Self> {
        Some(match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Disk,
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            io::ErrorKind::OutOfMemory => Self::Memory,
            io::ErrorKind::WouldBlock => Self::Processes,
            _ => match error.raw_os_error() {
                Some(number) if NO_DESCRIPTORS.contains(&number) => Self::Files,
                _ => return None,
            },
        })
    }

    /// The shortage that `error` or one of its sources tells of.
    pub fn behind(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(found) = error.downcast_ref().and_then(Self::of) {
                return Some(found);
            }
            next = error.source();
        }
        None
    }

    /// The shortage that another program names in its `words`, as the system's library puts it in English.
    pub fn told_by(words: &str) -> Option<Self> {
        let found = [
            ("No space left on device", Self::Disk),
            ("Disk quota exceeded", Self::Disk),
            ("Read-only file system", Self::ReadOnly),
            ("Too many open files", Self::Files),
            ("Resource temporarily unavailable", Self::Processes),
            ("Cannot allocate memory", Self::Memory),
        ];
        found.into_iter().find(|(said, _)| words.contains(said)).map(|(_, shortage)| shortage)
    }

    /// What to do about it.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Disk => "make room on that disk and try again; what was recorded is safe",
            Self::ReadOnly => {
                "make it writable again, or name another state directory with `--state DIR`; what was recorded is safe"
            }
            Self::Files => {
                "close some, or raise the limit of open files (`ulimit -n`), and try again; what was recorded is safe"
            }
            Self::Processes => {
                "end some, or raise the limit of processes (`ulimit -u`), and try again; what was recorded is safe"
            }
            Self::Memory => "free some memory and try again; what was recorded is safe",
        }
    }
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the folder cannot be made")]
    struct Outer(#[source] io::Error);

    #[test]
    fn the_systems_errors_are_told_apart_from_what_is_not_there() {
        for (number, shortage) in [
            (Errno::NOSPC, Some(Shortage::Disk)),
            (Errno::DQUOT, Some(Shortage::Disk)),
            (Errno::ROFS, Some(Shortage::ReadOnly)),
            (Errno::MFILE, Some(Shortage::Files)),
            (Errno::NFILE, Some(Shortage::Files)),
            (Errno::AGAIN, Some(Shortage::Processes)),
            (Errno::NOMEM, Some(Shortage::Memory)),
            (Errno::NOENT, None),
            (Errno::ACCESS, None),
        ] {
            let error = io::Error::from(number);
            assert_eq!(Shortage::of(&error), shortage, "{error}");
            assert_eq!(Shortage::told_by(&format!("fatal: write error: {error}")), shortage);
            assert_eq!(Shortage::behind(&Outer(error)), shortage);
        }
        assert_eq!(Shortage::behind(&io::Error::other("words")), None);
    }
}
