//! A folder of what is to be gone: moved there at once, so that no half of it is ever taken for the whole, and
//! removed from there whatever an agent made of it.
//!
//! No symbolic link is followed, no path is longer than two names, and no more than two folders are open: a folder
//! that is not empty is moved up into the trash before it is looked into. Whatever stands in the trash may go, so that
//! a kill at any point leaves nothing but work for the next one.

use std::{
    ffi::OsStr,
    fs::{self, DirBuilder},
    io,
    os::{
        fd::{AsFd, AsRawFd as _, OwnedFd},
        unix::{ffi::OsStrExt as _, fs::DirBuilderExt as _},
    },
    path::{Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, CWD, Dir, Mode, OFlags, chmod, open, openat, renameat, unlinkat},
    io::Errno,
};

use super::space;
use crate::ids::UniqueId;

/// The trash of one folder, which stands in that folder: what is moved never changes its file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trash {
    folder: PathBuf,
}

/// How often it is made again.
const TRIES: u32 = 10;

impl Trash {
    /// The one that stands at `folder`, or will.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Where it stands.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Moves what stands at `path` into it, all at once. What is gone already is no error; a link in its place is one.
    pub fn take(&self, path: &Path) -> io::Result<()> {
        match unlock(CWD, path.as_os_str()) {
            // No folder, and moved without a right of its own.
            Ok(_) | Err(Errno::NOTDIR | Errno::LOOP) => {}
            Err(Errno::NOENT) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        for _ in 0..TRIES {
            DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
            let trash = match open(&self.folder, FOLDER | OFlags::RDONLY, Mode::empty()) {
                Err(Errno::NOENT) => continue,
                trash => trash?,
            };
            match renameat(CWD, path, &trash, UniqueId::mint().to_string()) {
                // Emptied by somebody else meanwhile, it is to be made again.
                Err(Errno::NOENT) if fs::symlink_metadata(path).is_ok() => {}
                moved => return Ok(absent_is_fine(moved)?),
            }
        }
        Err(io::Error::other("it is removed by somebody else again and again"))
    }

    /// The bytes of what stands in it.
    pub fn size(&self) -> u64 {
        space::size(&self.folder)
    }

    /// Removes all of it, and itself. `removed` is called behind each folder that is gone. What could not be removed
    /// does not keep the rest; the first reason is returned.
    pub fn empty(&self, mut removed: impl FnMut()) -> io::Result<()> {
        let trash = match open(&self.folder, FOLDER | OFlags::RDONLY, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(()),
            trash => trash?,
        };
        let mut first = None;
        let mut left = names(&trash)?;
        while let Some(name) = left.pop() {
            match remove(&trash, &name, &mut left) {
                Ok(()) => removed(),
                Err(error) => _ = first.get_or_insert(error),
            }
        }
        match first {
            Some(error) => Err(error.into()),
            None => Ok(absent_is_fine(unlinkat(CWD, &self.folder, AtFlags::REMOVEDIR))?),
        }
    }
}

const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Removes `name` from `trash`; the folders in it that are not empty are moved up and named in `left`.
fn remove(trash: &OwnedFd, name: &[u8], left: &mut Vec<Vec<u8>>) -> Result<(), Errno> {
    let name = OsStr::from_bytes(name);
    match unlinkat(trash, name, AtFlags::empty()) {
        // A folder; some file systems say the second.
        Err(Errno::ISDIR | Errno::PERM) => {}
        result => return absent_is_fine(result),
    }
    let folder = match unlock(trash.as_fd(), name) {
        Err(Errno::NOENT) => return Ok(()),
        folder => openat(folder?, ".", FOLDER | OFlags::RDONLY, Mode::empty())?,
    };
    for inner in names(&folder)? {
        let inner = OsStr::from_bytes(&inner);
        match unlinkat(&folder, inner, AtFlags::empty()) {
            Err(Errno::ISDIR | Errno::PERM) => {}
            result => {
                absent_is_fine(result)?;
                continue;
            }
        }
        match unlinkat(&folder, inner, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY | Errno::EXIST | Errno::ACCESS) => {}
            result => {
                absent_is_fine(result)?;
                continue;
            }
        }
        let above = UniqueId::mint().to_string();
        unlock(folder.as_fd(), inner)?;
        renameat(&folder, inner, trash, &*above)?;
        left.push(above.into_bytes());
    }
    absent_is_fine(unlinkat(trash, name, AtFlags::REMOVEDIR))
}

/// Gives this user all rights to the folder `name`, which must be one and no link to one, and opens it: module
/// caches are written read-only, and a folder without rights can neither be emptied nor moved.
fn unlock(at: impl AsFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    let folder = openat(at, name, FOLDER | OFlags::PATH, Mode::empty())?;
    // By this very folder, whatever its name comes to mean.
    chmod(format!("/proc/self/fd/{}", folder.as_raw_fd()), Mode::RWXU)?;
    Ok(folder)
}

fn names(folder: impl AsFd) -> Result<Vec<Vec<u8>>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_bytes().to_vec();
        if name != b"." && name != b".." {
            names.push(name);
        }
    }
    Ok(names)
}

fn absent_is_fine(result: Result<(), Errno>) -> Result<(), Errno> {
    match result {
        Err(Errno::NOENT) => Ok(()),
        result => result,
    }
}

/// The bytes of the file or of all files below the folder at `path`, links not followed.
pub fn size(path: &Path) -> u64 {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => space::size(path),
        Ok(found) => found.len(),
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    struct Place {
        folder: tempfile::TempDir,
    }

    impl Place {
        fn new() -> Self {
            Self { folder: tempfile::tempdir().unwrap() }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn trash(&self) -> Trash {
            Trash::at(self.path("trash"))
        }

        fn folder(&self, name: &str, mode: u32) -> PathBuf {
            let path = self.path(name);
            fs::create_dir_all(&path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        }
    }

    #[test]
    fn nothing_is_moved_through_a_link_in_its_place() {
        let place = Place::new();
        let outside = place.folder("outside", 0o755);
        symlink(&outside, place.path("trash")).unwrap();
        let given_up = place.folder("given-up", 0o755);
        assert!(place.trash().take(&given_up).is_err());
        assert!(given_up.is_dir() && fs::read_dir(&outside).unwrap().next().is_none());
    }

    #[test]
    fn links_are_removed_and_what_they_lead_to_stays_as_it_is() {
        let place = Place::new();
        let outside = place.folder("outside", 0o555);
        let sandbox = place.folder("sandbox", 0o700);
        symlink(&outside, sandbox.join("folder")).unwrap();
        symlink(place.path("file"), sandbox.join("file")).unwrap();
        fs::write(place.path("file"), "mine").unwrap();
        symlink(&outside, place.path("itself")).unwrap();
        place.trash().take(&sandbox).unwrap();
        place.trash().take(&place.path("itself")).unwrap();
        place.trash().empty(|| ()).unwrap();
        assert!(!place.path("itself").is_symlink() && !place.path("trash").exists());
        assert_eq!(fs::read_to_string(place.path("file")).unwrap(), "mine");
        assert_eq!(fs::metadata(&outside).unwrap().permissions().mode() & 0o777, 0o555);
    }

    #[test]
    fn folders_without_rights_are_removed_with_all_that_is_in_them() {
        let place = Place::new();
        let sandbox = place.folder("sandbox", 0o700);
        for name in ["read-only", "closed", "read-only/deep"] {
            place.folder(&format!("sandbox/{name}"), 0o700);
            fs::write(sandbox.join(name).join("file"), "x").unwrap();
        }
        for (name, mode) in [("read-only/deep", 0o555), ("read-only", 0o555), ("closed", 0o000), ("", 0o500)]
        {
            fs::set_permissions(sandbox.join(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        place.trash().take(&sandbox).unwrap();
        place.trash().empty(|| ()).unwrap();
        assert_eq!(fs::read_dir(place.folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_tree_deeper_than_any_path_may_be_long_is_removed() {
        let place = Place::new();
        place.folder("sandbox", 0o700);
        let mut folder = open(place.path("sandbox"), FOLDER | OFlags::RDONLY, Mode::empty()).unwrap();
        let name = "d".repeat(200);
        for _ in 0..100 {
            rustix::fs::mkdirat(&folder, &*name, Mode::RWXU).unwrap();
            folder = openat(&folder, &*name, FOLDER | OFlags::RDONLY, Mode::empty()).unwrap();
        }
        place.trash().take(&place.path("sandbox")).unwrap();
        place.trash().empty(|| ()).unwrap();
        assert_eq!(fs::read_dir(place.folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_gone_already_and_a_trash_that_is_none_are_no_errors() {
        let place = Place::new();
        place.trash().empty(|| ()).unwrap();
        place.trash().take(&place.path("gone")).unwrap();
        place.trash().empty(|| ()).unwrap();
        assert_eq!((place.trash().size(), size(&place.path("gone"))), (0, 0));
    }

    #[test]
    fn the_trash_itself_is_no_link_to_another_folder() {
        let place = Place::new();
        let outside = place.folder("outside", 0o700);
        fs::write(outside.join("file"), "mine").unwrap();
        symlink(&outside, place.path("trash")).unwrap();
        assert!(place.trash().empty(|| ()).is_err());
        assert!(outside.join("file").exists());
    }
}
