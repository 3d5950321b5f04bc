//! A copy of the database for a person, made while the store goes on.

use std::{
    ffi::OsStr,
    fs::{self, File, OpenOptions, TryLockError},
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
        loop {
            let path = target.with_file_name(format!("{}{}{PARTIAL}", beginning(target), UniqueId::mint()));
            // SQLite fills an empty file and keeps its mode; made by SQLite it would get the umask's.
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
            if let Some(partial) = Self::hold(path, file)? {
                return Ok(partial);
            }
        }
    }

    /// Locks what was just made; `None` where whoever clears away what was broken off took it for that, before it
    /// was locked.
    fn hold(path: PathBuf, file: File) -> io::Result<Option<Self>> {
        let locked = file.try_lock();
        let partial = Self { path, _file: file };
        match locked {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let stands = partial.path.try_exists()?;
        Ok(Some(partial).filter(|_| stands))
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

/// Clears away what was broken off of copies to `target`.
fn clear_broken_off(target: &Path) -> io::Result<()> {
    let name = target.file_name();
    clear_of(target.parent().unwrap_or(Path::new("/")), |of| name == Some(OsStr::new(of)))
}

/// Clears away what was broken off of copies to any file in `folder`. Fails where a file cannot be removed.
pub fn clear_all_broken_off(folder: &Path) -> io::Result<()> {
    clear_of(folder, |_| true)
}

/// Of the copies to the files in `folder` whose name `is_meant`.
fn clear_of(folder: &Path, is_meant: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let parts = name.to_str().and_then(|name| name.strip_suffix(PARTIAL)?.rsplit_once('.'));
        let is_broken_off =
            parts.is_some_and(|(of, unique)| is_meant(of) && UniqueId::parse(unique).is_some());
        if !is_broken_off || !entry.file_type()?.is_file() {
            continue;
        }
        match clear(&entry.path()) {
            // Its copy came to its place meanwhile, or somebody else cleared it away.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            cleared => cleared?,
        }
    }
    Ok(())
}

/// Removes the file at `path`, unless somebody writes it.
fn clear(path: &Path) -> io::Result<()> {
    let file = File::open(path)?;
    if file.try_lock().is_ok() {
        fs::remove_file(path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_that_was_cleared_away_before_it_was_locked_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("copy.db");
        let begun = || {
            let path = folder.path().join(format!("copy.db.{}.partial", UniqueId::mint()));
            (path.clone(), OpenOptions::new().write(true).create_new(true).open(path).unwrap())
        };
        let (path, file) = begun();
        clear_broken_off(&target).unwrap();
        assert!(Partial::hold(path, file).unwrap().is_none(), "it is gone");
        let (path, file) = begun();
        let clearing = File::open(&path).unwrap();
        clearing.try_lock().unwrap();
        assert!(Partial::hold(path, file).unwrap().is_none(), "it is about to go");
        let (path, file) = begun();
        let held = Partial::hold(path, file).unwrap().unwrap();
        clear_broken_off(&target).unwrap();
        assert!(held.path.exists(), "it is being written");
    }
}
