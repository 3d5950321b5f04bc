//! Everything there is but one folder: what stands beside it, and beside the folders it lies in.
//!
//! Landlock only allows, and what it allows it allows for all that lies below. To leave one folder out, all
//! others have to be named, level by level from the root.

use std::{
    ffi::OsString,
    io,
    os::{fd::OwnedFd, unix::ffi::OsStringExt as _},
    path::{Component, Path},
};

use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, fstat, openat};

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

/// All spots beside the way to `hidden`, which is absolute and without links. What cannot be listed is left
/// out, and so are links: the kernel asks where they lead.
pub(super) fn all_but(hidden: &Path) -> io::Result<Vec<Spot>> {
    let mut spots = Vec::new();
    let folder = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let way: Vec<_> = hidden.components().collect();
    for (place, component) in way.iter().enumerate() {
        let Component::Normal(next) = component else { continue };
        let above: std::path::PathBuf = way[..place].iter().collect();
        let above = match openat(CWD, &above, folder, Mode::empty()) {
            Err(error) if error == rustix::io::Errno::ACCESS => continue,
            opened => opened?,
        };
        for entry in Dir::read_from(&above)? {
            let name = OsString::from_vec(entry?.file_name().to_bytes().to_vec());
            if name == "." || name == ".." || name == *next {
                continue;
            }
            let how = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            // Gone since it was listed.
            let Ok(handle) = openat(&above, &name, how, Mode::empty()) else { continue };
            if FileType::from_raw_mode(fstat(&handle)?.st_mode) != FileType::Symlink {
                spots.push(Spot::of(handle)?);
            }
        }
    }
    Ok(spots)
}
