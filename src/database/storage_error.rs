//! What SQLite refuses, in the words of the other rooms.

use std::{fmt, sync::Arc};

use rusqlite::ErrorCode;

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
        let kind = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StorageKind::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StorageKind::ReadOnly,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StorageKind::Damaged,
            Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::OutOfMemory) => {
                StorageKind::Disk
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StorageKind::Busy,
            Some(ErrorCode::ConstraintViolation) => StorageKind::Constraint,
            _ => StorageKind::Fault,
        };
        Self { kind, source: Some(Arc::new(error)) }
    }
}
