//! A copy of the database for a person, made while the store goes on.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use rusqlite::Connection;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::backup::{BackupError, copy_into};
use crate::ids::UniqueId;

/// What the name of a copy that is not whole ends with.
const PARTIAL: &str = ".partial";

/// Writes the database as it is now to `target`, where nothing stands; its size in bytes.
///
/// The copy is whole or absent, and the owner's alone: it is written under another name beside it, which is locked
/// meanwhile. What was broken off there before is cleared away.
pub(super) fn save_copy(connection: &Connection, target: &Path) -> Result<u64, BackupError> {
    if fs::symlink_metadata(target).is_ok() {
        return Err(io::Error::from(io::ErrorKind::AlreadyExists).into());
    }
    clear_broken_off(target)?;
    let partial = Partial::begin(target)?;
    copy_into(connection, &partial.path)?;
    put(&partial.path, target)?;
    if let Some(folder) = target.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(fs::metadata(target)?.size())
}

/// Moves what is whole to its place, and never over anything.
fn put(partial: &Path, target: &Path) -> io::Result<()> {
    match renameat_with(CWD, partial, CWD, target, RenameFlags::NOREPLACE) {
        // Some network file systems cannot do that; they have links. Then the other name goes with the lock.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => fs::hard_link(partial, target),
        result => Ok(result?),
    }
}

/// A copy that is not whole.
struct Partial {
    path: PathBuf,
    /// Locked as long as this lives: otherwise it was broken off.
    _file: File,
}

impl Partial {
    fn begin(target: &Path) -> io::Result<Self> {
        let path = target.with_file_name(format!("{}{}{PARTIAL}", beginning(target), UniqueId::mint()));
        // SQLite fills an empty file and keeps its mode; made by SQLite it would get the umask's.
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let locked = file.try_lock();
        let partial = Self { path, _file: file };
        locked.map_err(io::Error::from)?;
        Ok(partial)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Gone already where the copy is in its place.
        let _ = fs::remove_file(&self.path);
    }
}

/// What the names of copies to `target` begin with.
fn beginning(target: &Path) -> String {
    format!("{}.", target.file_name().unwrap_or_default().to_string_lossy())
}

fn clear_broken_off(target: &Path) -> io::Result<()> {
    let folder = target.parent().unwrap_or(Path::new("/"));
    let beginning = beginning(target);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let unique = name.to_str().and_then(|name| name.strip_prefix(&*beginning)?.strip_suffix(PARTIAL));
        if unique.and_then(UniqueId::parse).is_none() || !entry.file_type()?.is_file() {
            continue;
        }
        if File::open(entry.path())?.try_lock().is_ok() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
