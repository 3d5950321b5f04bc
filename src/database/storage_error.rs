//! What SQLite refuses, in the words of the other rooms.

use std::{fmt, fs::File, sync::Arc};

use rusqlite::{ErrorCode, ffi};

use crate::vocabulary::Shortage;

/// The database could not be read or written. Nothing was recorded.
#[derive(Debug, Clone)]
pub struct StorageError {
    kind: StorageKind,
    source: Option<Arc<rusqlite::Error>>,
}

/// Why, as far as a caller can act on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageKind {
    /// The disk or the quota is full.
    Full,
    /// The file or its directory cannot be written.
    ReadOnly,
    /// The file is damaged or was never a database.
    Damaged,
    /// The disk failed, or the file could not be opened.
    Disk,
    /// No open files or memory are left.
    Exhausted,
    /// Another process holds the database, longer than the time given to it.
    Busy,
    /// A constraint of the schema refused the row.
    Constraint,
    /// The change was undone because the disk failed another change of the same transaction.
    Undone,
    /// A statement of callbox's own is wrong.
    Fault,
}

impl StorageError {
    /// Why the database refused.
    pub fn kind(&self) -> StorageKind {
        self.kind
    }

    /// What to do about it, where that can be said.
    pub fn hint(&self) -> Option<&'static str> {
        match self.kind {
            StorageKind::Full => Some(Shortage::Disk.hint()),
            StorageKind::ReadOnly => Some(Shortage::ReadOnly.hint()),
            StorageKind::Exhausted => Some(Shortage::Files.hint()),
            StorageKind::Disk => {
                Some("what was acknowledged before is safe; repair the disk, then try again")
            }
            _ => None,
        }
    }

    /// Whether the database itself is out of order, so that the next change will fail as well.
    pub fn is_lasting(&self) -> bool {
        matches!(
            self.kind,
            StorageKind::Full | StorageKind::ReadOnly | StorageKind::Damaged | StorageKind::Disk
        )
    }

    pub(super) fn undone() -> Self {
        Self { kind: StorageKind::Undone, source: None }
    }

    pub(super) fn fault() -> Self {
        Self { kind: StorageKind::Fault, source: None }
    }

    pub(super) fn damaged() -> Self {
        Self { kind: StorageKind::Damaged, source: None }
    }
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            StorageKind::Full => "the disk that holds the state directory is full",
            StorageKind::ReadOnly => "the state directory's database cannot be written",
            StorageKind::Damaged => "the state directory's database is damaged",
            StorageKind::Disk => "the disk failed the state directory's database",
            StorageKind::Exhausted => "no open files or memory are left for the state directory's database",
            StorageKind::Busy => "another process holds the state directory's database",
            StorageKind::Constraint => "the state directory's database refused the row",
            StorageKind::Undone => "the change was undone together with one that the disk failed",
            StorageKind::Fault => "the state directory's database did not understand callbox",
        })
    }
}

impl std::error::Error for StorageError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|error| error as _)
    }
}

impl From<rusqlite::Error> for StorageError {
    fn from(error: rusqlite::Error) -> Self {
        let extended = error.sqlite_error().map(|error| error.extended_code);
        let kind = match error.sqlite_error_code() {
            // The index of the log could not be made larger.
            Some(_) if extended == Some(ffi::SQLITE_IOERR_SHMSIZE) => StorageKind::Full,
            Some(ErrorCode::DiskFull) => StorageKind::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StorageKind::ReadOnly,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StorageKind::Damaged,
            Some(ErrorCode::OutOfMemory) => StorageKind::Exhausted,
            // SQLite does not say why.
            Some(ErrorCode::CannotOpen) if File::open("/dev/null").is_err() => StorageKind::Exhausted,
            Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen) => StorageKind::Disk,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StorageKind::Busy,
            Some(ErrorCode::ConstraintViolation) => StorageKind::Constraint,
            _ => StorageKind::Fault,
        };
        Self { kind, source: Some(Arc::new(error)) }
    }
}
