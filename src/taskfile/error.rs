//! Why a task file was refused.

use std::{fmt, io, path::PathBuf};

use crate::document::FileFault;

/// A task file that was refused whole; nothing of it was queued.
#[derive(Debug)]
pub enum TaskFileError {
    /// It could not be read.
    Unreadable {
        /// As the caller named it.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It was read and is wrong.
    Wrong {
        /// As the caller named it.
        path: PathBuf,
        /// Everything that is wrong, in the order of the file; never empty.
        faults: Vec<FileFault>,
    },
}

impl fmt::Display for TaskFileError {
    /// One line for each fault: `FILE:LINE: what is wrong`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, .. } => {
                write!(f, "the task file `{}` could not be read", path.display())
            }
            Self::Wrong { path, faults } => {
                for (place, fault) in faults.iter().enumerate() {
                    let newline = if place == 0 { "" } else { "\n" };
                    write!(f, "{newline}{}:{fault}", path.display())?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for TaskFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable { source, .. } => Some(source),
            Self::Wrong { .. } => None,
        }
    }
}
