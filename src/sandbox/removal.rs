//! Removing a sandbox, whatever an agent made of its permissions.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use super::{keep_out::set_up_mark, view::View};

/// Removes the sandbox in `directory` and what callbox keeps beside it. One that is gone
/// already is no error. Symbolic links are removed, never followed.
pub fn remove(directory: &Path) -> io::Result<()> {
    remove_folder(directory)?;
    remove_folder(&set_up_mark(directory))?;
    remove_folder(&View::place(directory))
}

pub(super) fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            // Module caches are written read-only, folders too.
            unlock(folder)?;
            absent_is_removed(fs::remove_dir_all(folder))
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => fs::remove_file(folder),
        result => absent_is_removed(result),
    }
}

fn absent_is_removed(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

fn unlock(folder: &Path) -> io::Result<()> {
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))?;
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            // The type of the entry itself: a link to a folder is not one.
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    Ok(())
}
