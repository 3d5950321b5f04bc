//! Everything there is but one folder: what stands beside it, and beside the folders it lies in.
//!
//! Landlock only allows, and what it allows it allows for all that lies below. To leave one folder out, all
//! others have to be named, level by level from the root.

use std::{
    ffi::OsString,
    io,
    os::{fd::OwnedFd, unix::ffi::OsStringExt as _},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{CWD, Dir, FileType, Mode, OFlags, fstat, openat},
    io::Errno,
};

/// A file or folder to be named to the kernel.
#[derive(Debug)]
pub(super) struct Spot {
    /// Opened as a place, not for its contents.
    pub(super) handle: OwnedFd,
    /// Whether it is a folder.
    pub(super) kind: Kind,
}

/// What a spot is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    File,
}

impl Spot {
    /// What `path` leads to.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Self::of(openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?)
    }

    fn of(handle: OwnedFd) -> io::Result<Self> {
        let kind = match FileType::from_raw_mode(fstat(&handle)?.st_mode) {
            FileType::Directory => Kind::Folder,
            _ => Kind::File,
        };
        Ok(Self { handle, kind })
    }
}

/// Where the disks themselves stand among other devices.
const DEVICES: &str = "/dev";
/// Folders there in which no disk stands and new entries come and go: terminals, shared memory, queues.
const CHANGING: [&str; 3] = ["/dev/pts", "/dev/shm", "/dev/mqueue"];

/// All spots beside the way to `hidden`, which is absolute and without links. What cannot be listed is left
/// out; so are links, since the kernel asks where they lead, and the disks themselves, from which whoever
/// may read them reads the hidden folder too.
pub(super) fn all_but(hidden: &Path) -> io::Result<Vec<Spot>> {
    let mut spots = Vec::new();
    // From the root down to the folder that holds it.
    let mut above: Vec<_> = hidden.ancestors().skip(1).collect();
    above.reverse();
    for folder in above {
        for (path, spot) in within(folder)? {
            if hidden.starts_with(&path) {
                continue;
            }
            if path == Path::new(DEVICES) {
                devices(&path, &mut spots)?;
            } else {
                spots.push(spot);
            }
        }
    }
    Ok(spots)
}

/// Names what stands in `folder` and below it one by one; whole only what changes while a run goes on.
fn devices(folder: &Path, spots: &mut Vec<Spot>) -> io::Result<()> {
    for (path, spot) in within(folder)? {
        if spot.kind == Kind::Folder && !CHANGING.iter().any(|changing| path == Path::new(changing)) {
            devices(&path, spots)?;
        } else {
            spots.push(spot);
        }
    }
    Ok(())
}

/// What stands in `folder`, but for links and disks.
fn within(folder: &Path) -> io::Result<Vec<(PathBuf, Spot)>> {
    let opened =
        match openat(CWD, folder, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) {
            Err(Errno::ACCESS) => return Ok(Vec::new()),
            opened => opened?,
        };
    let mut found = Vec::new();
    for entry in Dir::read_from(&opened)? {
        let name = OsString::from_vec(entry?.file_name().to_bytes().to_vec());
        let how = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = match openat(&opened, &name, how, Mode::empty()) {
            // Gone since it was listed, or nothing that this user may enter.
            Err(Errno::NOENT | Errno::ACCESS) => continue,
            // What is left out for want of descriptors would be missing to the agent, and nobody would know why.
            opened => opened?,
        };
        let kind = FileType::from_raw_mode(fstat(&handle)?.st_mode);
        if name != "." && name != ".." && !matches!(kind, FileType::Symlink | FileType::BlockDevice) {
            found.push((folder.join(name), Spot::of(handle)?));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn kinds(spots: &[Spot]) -> Vec<FileType> {
        spots.iter().map(|spot| FileType::from_raw_mode(fstat(&spot.handle).unwrap().st_mode)).collect()
    }

    /// Which file each is.
    fn identities(spots: &[Spot]) -> Vec<(u64, u64)> {
        spots.iter().map(|spot| fstat(&spot.handle).unwrap()).map(|stat| (stat.st_dev, stat.st_ino)).collect()
    }

    fn identity(path: &str) -> (u64, u64) {
        use std::os::unix::fs::MetadataExt as _;
        let found = fs::metadata(path).unwrap();
        (found.dev(), found.ino())
    }

    #[test]
    fn devices_are_named_one_by_one_and_no_disk_is_among_them() {
        let folder = tempfile::tempdir().unwrap();
        let spots = all_but(&folder.path().canonicalize().unwrap()).unwrap();
        assert!(!kinds(&spots).contains(&FileType::BlockDevice));
        let named = identities(&spots);
        assert!(named.contains(&identity("/dev/pts")));
        assert!(named.contains(&identity("/dev/null")) && !named.contains(&identity("/dev")));
        assert!(named.contains(&identity("/usr")) && !named.contains(&identity("/")));
    }

    #[test]
    fn what_is_hidden_and_what_it_lies_in_are_not_named_and_all_beside_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["a/hidden/below", "a/beside", "b"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        std::os::unix::fs::symlink("hidden", root.join("a/link")).unwrap();
        let named = identities(&all_but(&root.join("a/hidden")).unwrap());
        let is = |name: &str| named.contains(&identity(root.join(name).to_str().unwrap()));
        assert!(is("a/beside") && is("b"));
        assert!(!is("a/hidden") && !is("a") && !is(""));
    }
}
