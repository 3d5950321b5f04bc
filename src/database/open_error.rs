//! Why a database was not opened.

use std::{io, path::PathBuf};

use super::StorageError;

/// A database that was not opened. Whatever the reason, no row of it was changed, save that the
/// steps before a failed [`OpenError::Migration`] stand.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It was written by a later callbox.
    #[error("database `{}` has schema version {found}, and callbox {} knows versions up to {known}", path.display(), env!("CARGO_PKG_VERSION"))]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The last version this callbox knows.
        known: usize,
    },
    /// It is a database of another program.
    #[error("database `{}` belongs to another program", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// It is a file, but no database.
    #[error("`{}` is not a database", path.display())]
    NotDatabase {
        /// The file.
        path: PathBuf,
    },
    /// It is a link, a folder or something else that callbox never makes.
    #[error("`{}` is not a regular file", path.display())]
    NotFile {
        /// What stands in its place.
        path: PathBuf,
    },
    /// Its pages contradict each other.
    #[error("database `{}` is damaged: {detail}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite found first.
        detail: String,
    },
    /// It, or the folder it stands in, cannot be written.
    #[error("database `{}` cannot be written: it or its folder is read-only", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The path is longer than SQLite takes.
    #[error("database path `{}` has {} bytes, and SQLite takes at most {limit}", path.display(), path.as_os_str().len())]
    PathTooLong {
        /// The path, with its links resolved.
        path: PathBuf,
        /// The most bytes it may have.
        limit: usize,
    },
    /// The file system cannot share memory between processes, as write-ahead logging needs.
    #[error("the file system of `{}` does not support write-ahead logging (journal mode stayed `{mode}`)", path.display())]
    NoWriteAheadLog {
        /// The file.
        path: PathBuf,
        /// The journal mode SQLite fell back to.
        mode: String,
    },
    /// No copy could be made before an upgrade, so there was no upgrade.
    #[error("database `{}` could not be copied before its upgrade", path.display())]
    Backup {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A step of the upgrade failed and was rolled back.
    #[error("database `{}` could not be upgraded to version {version} (`{name}`)", path.display())]
    Migration {
        /// The file.
        path: PathBuf,
        /// The version that was not reached.
        version: usize,
        /// The step's name.
        name: &'static str,
        /// Why.
        source: StorageError,
    },
    /// The file could not be made or looked at.
    #[error("database `{}` could not be opened", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// SQLite failed in another way.
    #[error("database `{}` could not be opened", path.display())]
    Storage {
        /// The file.
        path: PathBuf,
        /// Why.
        source: StorageError,
    },
}

impl OpenError {
    /// What to do about it, where there is something.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Newer { .. } => "use the newer callbox, or another state directory; nothing was changed",
            Self::Foreign { .. } | Self::NotDatabase { .. } | Self::NotFile { .. } => {
                "name another state directory with `--state DIR`, or move the file away"
            }
            Self::Damaged { .. } => "put a copy that `callbox backup` made in its place",
            Self::ReadOnly { .. } => "make it writable, or name another state directory with `--state DIR`",
            Self::PathTooLong { .. } => "choose a state directory with a shorter path",
            Self::NoWriteAheadLog { .. } => "choose a state directory on a local disk",
            Self::Backup { .. } => "free some space and start again; nothing was changed",
            Self::Migration { .. } => {
                "the copy made before the upgrade stands beside it as `callbox.db.before-…`"
            }
            Self::Storage { source, .. } => return source.hint(),
            Self::File { .. } => return None,
        })
    }
}
