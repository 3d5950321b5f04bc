//! A copy of the database as it was before an upgrade.

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
pub(super) enum BackupError {
    #[error(transparent)]
    File(#[from] io::Error),
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
    let copied = partial.to_str().ok_or_else(|| rusqlite::Error::InvalidPath(partial.clone()));
    let copied = copied.and_then(|name| connection.execute("VACUUM INTO ?1", [name]));
    copied.map_err(StorageError::from)?;
    File::open(&partial)?.sync_all()?;
    fs::rename(&partial, &target)?;
    if let Some(folder) = target.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(target)
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
