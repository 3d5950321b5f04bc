//! Copies of the database; and the one of how it was before an upgrade.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use rusqlite::Connection;

use super::StorageError;

/// Why no copy was made.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The file could not be made or moved to its place.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The database could not be copied into it.
    #[error(transparent)]
    Database(#[from] StorageError),
}

/// Copies the open database to `callbox.db.before-<version>` beside it and returns that path.
///
/// The copy is whole or absent: it is written under another name and renamed once it is on the disk.
pub(super) fn back_up(connection: &Connection, path: &Path, version: usize) -> Result<PathBuf, BackupError> {
    let target = beside(path, &format!(".before-{version}"));
    let partial = beside(path, &format!(".before-{version}.partial"));
    if let Err(error) = fs::remove_file(&partial)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error.into());
    }
    // SQLite fills an empty file and keeps its mode; made by SQLite it would get the umask's.
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(&partial)?;
    copy_into(connection, &partial)?;
    fs::rename(&partial, &target)?;
    if let Some(folder) = target.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(target)
}

/// Fills the empty file at `partial` with all that is committed, and waits until it is on the disk.
pub(super) fn copy_into(connection: &Connection, partial: &Path) -> Result<(), BackupError> {
    let copied = partial.to_str().ok_or_else(|| rusqlite::Error::InvalidPath(partial.to_owned()));
    let copied = copied.and_then(|name| connection.execute("VACUUM INTO ?1", [name]));
    copied.map_err(StorageError::from)?;
    Ok(File::open(partial)?.sync_all()?)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
