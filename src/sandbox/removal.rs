//! Removing a folder, whatever was made of its permissions.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

/// Removes `folder`. One that is gone already is no error. Symbolic links are removed, never followed.
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_removed_folder_is_gone_with_what_is_read_only_in_it_and_what_links_lead_to_stays() {
        let place = tempfile::tempdir().unwrap();
        let (folder, outside) = (place.path().join("folder"), place.path().join("outside"));
        fs::create_dir_all(folder.join("cache/deep")).unwrap();
        fs::write(folder.join("cache/deep/file"), "x").unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("mine"), "x").unwrap();
        symlink(&outside, folder.join("cache/link")).unwrap();
        fs::set_permissions(folder.join("cache/deep"), fs::Permissions::from_mode(0o500)).unwrap();
        for _ in 0..2 {
            remove_folder(&folder).unwrap();
            assert!(!folder.exists() && outside.join("mine").exists());
        }
    }
}
