//! Files in a folder that an agent could have filled with anything: no symbolic link is followed, no
//! fifo is waited for, nothing is read beyond a limit.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, Read},
    os::{
        fd::OwnedFd,
        unix::ffi::{OsStrExt as _, OsStringExt as _},
    },
    path::Path,
};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, fchmod, fstat, mkdirat, open, openat, readlinkat, renameat, statat,
    symlinkat, unlinkat,
};

use crate::ids::UniqueId;

/// An opened folder. It stays the same folder, whatever its path comes to mean.
#[derive(Debug)]
pub(super) struct Folder {
    fd: OwnedFd,
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const PRIVATE_FOLDER: Mode = Mode::RWXU;

impl Folder {
    /// Opens `path`, whose last part must not be a symbolic link.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { fd: open(path, FOLDER, Mode::empty())? })
    }

    /// Opens the folder `name` in this one.
    pub(super) fn enter(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self { fd: openat(&self.fd, one_part(name)?, FOLDER, Mode::empty())? })
    }

    /// The same, making it where it is missing.
    pub(super) fn enter_or_make(&self, name: &OsStr) -> io::Result<Self> {
        match mkdirat(&self.fd, one_part(name)?, PRIVATE_FOLDER) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => self.enter(name),
            Err(error) => Err(error.into()),
        }
    }

    /// The same folder, opened again.
    pub(super) fn again(&self) -> io::Result<Self> {
        Ok(Self { fd: self.fd.try_clone()? })
    }

    /// Makes the folder `name`, which must not be there, with the rights `mode`.
    pub(super) fn make(&self, name: &OsStr, mode: Mode) -> io::Result<()> {
        // A folder that its owner may not write to cannot be filled either.
        Ok(mkdirat(&self.fd, one_part(name)?, mode | Mode::RWXU)?)
    }

    /// Every name in it.
    pub(super) fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.fd)? {
            let name = entry?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." {
                names.push(OsString::from_vec(name));
            }
        }
        Ok(names)
    }

    /// What stands under `name`; `None` where nothing does.
    pub(super) fn kind(&self, name: &OsStr) -> io::Result<Option<FileType>> {
        match statat(&self.fd, one_part(name)?, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(FileType::from_raw_mode(found.st_mode))),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The rights of what stands under `name`.
    pub(super) fn mode(&self, name: &OsStr) -> io::Result<Mode> {
        let found = statat(&self.fd, one_part(name)?, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(Mode::from_raw_mode(found.st_mode) & (Mode::RWXU | Mode::RWXG | Mode::RWXO))
    }

    /// What the symbolic link `name` says.
    pub(super) fn link_target(&self, name: &OsStr) -> io::Result<OsString> {
        Ok(OsString::from_vec(readlinkat(&self.fd, one_part(name)?, Vec::new())?.into_bytes()))
    }

    /// Makes a symbolic link called `name` that says `target`.
    pub(super) fn link(&self, name: &OsStr, target: &OsStr) -> io::Result<()> {
        Ok(symlinkat(target, &self.fd, one_part(name)?)?)
    }

    /// Adds a file called `name`, where nothing has that name, with what `contents` holds and the rights `mode`.
    /// Where the file system can share the blocks of both files, it does.
    pub(super) fn add(&self, name: &OsStr, mut contents: File, mode: Mode) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(openat(&self.fd, one_part(name)?, flags, Mode::RUSR | Mode::WUSR)?);
        io::copy(&mut contents, &mut file)?;
        Ok(fchmod(&file, mode)?)
    }

    /// Opens the file `name`, which must be a file.
    pub(super) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = openat(&self.fd, one_part(name)?, flags, Mode::empty())?;
        if FileType::from_raw_mode(fstat(&fd)?.st_mode) != FileType::RegularFile {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is not a regular file"));
        }
        Ok(File::from(fd))
    }

    /// Reads the file `name`, which must be a file and at most `limit` bytes long.
    pub(super) fn read(&self, name: &OsStr, limit: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open_file(name)?.take(limit as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > limit {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("it is longer than {limit} bytes"),
            ));
        }
        Ok(bytes)
    }

    /// Puts a file called `name` with what `contents` gives in the place of whatever has that name,
    /// all at once.
    pub(super) fn put(&self, name: &OsStr, mut contents: impl Read) -> io::Result<()> {
        let scratch = format!("callbox-{}", UniqueId::mint());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = openat(&self.fd, &*scratch, flags, Mode::RUSR | Mode::WUSR)?;
        let mut file = File::from(fd);
        let written = io::copy(&mut contents, &mut file)
            .and_then(|_| Ok(renameat(&self.fd, &*scratch, &self.fd, one_part(name)?)?));
        if written.is_err() {
            // The first error counts.
            let _ = unlinkat(&self.fd, &*scratch, AtFlags::empty());
        }
        written
    }
}

fn one_part(name: &OsStr) -> io::Result<&OsStr> {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes == b"." || bytes == b".." || bytes.contains(&b'/') {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not the name of one file"));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    fn name(text: &str) -> &OsStr {
        OsStr::new(text)
    }

    #[test]
    fn nothing_outside_is_reached_through_names_or_links() {
        let temporary = tempfile::tempdir().unwrap();
        let (inside, outside) = (temporary.path().join("in"), temporary.path().join("out"));
        fs::create_dir(&inside).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret"), "x").unwrap();
        symlink(outside.join("secret"), inside.join("link")).unwrap();
        symlink(&outside, inside.join("folder")).unwrap();
        let folder = Folder::open(&inside).unwrap();
        assert!(folder.read(name("link"), 10).is_err());
        assert!(folder.read(name("../out/secret"), 10).is_err());
        assert!(folder.enter(name("folder")).is_err());
        assert!(folder.enter_or_make(name("folder")).is_err());
        assert!(folder.enter(name("..")).is_err());
        assert!(Folder::open(&inside.join("folder")).is_err());
        folder.put(name("link"), &b"new"[..]).unwrap();
        assert_eq!(fs::read(outside.join("secret")).unwrap(), b"x");
        assert_eq!(folder.read(name("link"), 3).unwrap(), b"new");
    }

    #[test]
    fn a_file_beyond_the_limit_and_a_fifo_are_refused_without_waiting() {
        let temporary = tempfile::tempdir().unwrap();
        fs::write(temporary.path().join("long"), "12345").unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, temporary.path().join("fifo"), Mode::RWXU).unwrap();
        let folder = Folder::open(temporary.path()).unwrap();
        assert_eq!(folder.read(name("long"), 5).unwrap(), b"12345");
        assert!(folder.read(name("long"), 4).unwrap_err().to_string().contains("4 bytes"));
        assert!(folder.read(name("fifo"), 4).is_err());
    }
}
