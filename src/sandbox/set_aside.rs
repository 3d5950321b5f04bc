//! What a checkout is about to touch in a person's work tree, set aside so that one that stops halfway can be undone
//! without git: a filter that fails and a disk that is full would stop the undoing as well.
//!
//! Git puts new files in the place of old ones, so a second name for each keeps the old one as it is and takes no room.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs, io,
    os::unix::{ffi::OsStrExt as _, fs::MetadataExt as _, fs::symlink},
    path::{Path, PathBuf},
};

use super::scratch::Scratch;

/// Files under second names. Dropped, these are removed.
#[derive(Debug)]
pub(super) struct SetAside<'a> {
    root: &'a Path,
    names: Scratch,
    kept: Vec<PathBuf>,
    absent: Vec<PathBuf>,
    absent_folders: BTreeSet<PathBuf>,
}

/// What undoing a checkout came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Undoing {
    /// There was nothing to be undone.
    Untouched,
    /// Everything is as it was.
    Undone,
}

impl<'a> SetAside<'a> {
    /// Sets aside what stands in the work tree `root` at `paths`, relative to it and between zeros, under names in
    /// `names`.
    pub(super) fn of(root: &'a Path, names: Scratch, paths: &[u8]) -> io::Result<Self> {
        let (kept, absent, absent_folders) = Default::default();
        let mut aside = Self { root, names, kept, absent, absent_folders };
        for path in paths.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
            aside.one(Path::new(OsStr::from_bytes(path)))?;
        }
        Ok(aside)
    }

    fn one(&mut self, path: &Path) -> io::Result<()> {
        let place = self.root.join(path);
        let Some(found) = look(&place)? else {
            let above = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
            let missing = above.filter(|above| !self.root.join(above).is_dir());
            self.absent_folders.extend(missing.map(Path::to_owned));
            self.absent.push(path.to_owned());
            return Ok(());
        };
        // The folder of a submodule, which no checkout fills.
        if found.is_dir() {
            return Ok(());
        }
        let name = self.name(self.kept.len());
        match fs::hard_link(&place, &name) {
            Ok(()) => {}
            // The two may stand on different disks, or on one without second names.
            Err(_) if found.is_symlink() => symlink(fs::read_link(&place)?, &name)?,
            Err(_) => {
                fs::copy(&place, &name)?;
                fs::File::options().write(true).open(&name)?.set_modified(found.modified()?)?;
            }
        }
        self.kept.push(path.to_owned());
        Ok(())
    }

    fn name(&self, number: usize) -> PathBuf {
        self.names.path().join(number.to_string())
    }

    /// Puts everything back.
    pub(super) fn put_back(self) -> io::Result<Undoing> {
        let mut undoing = Undoing::Untouched;
        for path in &self.absent {
            let place = self.root.join(path);
            match look(&place)? {
                Some(found) if !found.is_dir() => fs::remove_file(&place)?,
                // A submodule's, which is empty, or not made by a checkout.
                Some(_) => _ = fs::remove_dir(&place),
                None => continue,
            }
            undoing = Undoing::Undone;
        }
        for folder in self.absent_folders.iter().rev() {
            // What else was put into it meanwhile is the person's.
            let _ = fs::remove_dir(self.root.join(folder));
        }
        for (number, path) in self.kept.iter().enumerate() {
            let (place, name) = (self.root.join(path), self.name(number));
            let old = fs::symlink_metadata(&name)?;
            if look(&place)?.is_some_and(|now| same(&now, &old)) {
                continue;
            }
            undoing = Undoing::Undone;
            if let Some(parent) = place.parent() {
                fs::create_dir_all(parent)?;
            }
            match fs::rename(&name, &place) {
                Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                    let _ = fs::remove_file(&place);
                    if old.is_symlink() {
                        symlink(fs::read_link(&name)?, &place)?;
                    } else {
                        fs::copy(&name, &place)?;
                    }
                }
                renamed => renamed?,
            }
        }
        Ok(undoing)
    }
}

/// What stands at `place`; a file on the way there means that nothing does.
fn look(place: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::symlink_metadata(place) {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Whether the two are one file, or a copy that says when its original was changed last.
fn same(now: &fs::Metadata, old: &fs::Metadata) -> bool {
    let one = (now.dev(), now.ino()) == (old.dev(), old.ino());
    let times = |found: &fs::Metadata| (found.len(), found.mtime(), found.mtime_nsec(), found.mode());
    one || (old.is_file() && times(now) == times(old))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::Git;

    fn aside(root: &Path) -> SetAside<'_> {
        let git = Git::new(&root.join("../own")).unwrap();
        let names = Scratch::folder(&git, "aside").unwrap();
        SetAside::of(root, names, b"changed\0gone/deep\0became\0new/er/file\0link\0still\0").unwrap()
    }

    #[test]
    fn everything_is_as_it_was_whatever_a_checkout_came_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("work");
        fs::create_dir_all(root.join("gone")).unwrap();
        for file in ["changed", "gone/deep", "became", "still"] {
            fs::write(root.join(file), file).unwrap();
        }
        symlink("changed", root.join("link")).unwrap();
        let before = fs::metadata(root.join("changed")).unwrap();
        let kept = aside(&root);
        // As git does it: new files in the place of old ones.
        fs::remove_file(root.join("changed")).unwrap();
        fs::write(root.join("changed"), "half").unwrap();
        fs::remove_dir_all(root.join("gone")).unwrap();
        fs::remove_file(root.join("link")).unwrap();
        fs::create_dir_all(root.join("new/er")).unwrap();
        fs::write(root.join("new/er/file"), "half").unwrap();
        let names = kept.names.path().to_owned();
        assert_eq!(kept.put_back().unwrap(), Undoing::Undone);
        for file in ["changed", "gone/deep", "became", "still"] {
            assert_eq!(fs::read_to_string(root.join(file)).unwrap(), file);
        }
        assert_eq!(fs::read_link(root.join("link")).unwrap(), Path::new("changed"));
        let after = fs::metadata(root.join("changed")).unwrap();
        assert_eq!((before.ino(), before.modified().unwrap()), (after.ino(), after.modified().unwrap()));
        assert!(!root.join("new").exists() && !names.exists());
    }

    #[test]
    fn where_nothing_was_touched_nothing_is() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("work");
        fs::create_dir_all(&root).unwrap();
        fs::write(root.join("still"), "still").unwrap();
        assert_eq!(aside(&root).put_back().unwrap(), Undoing::Untouched);
        // What the person puts there meanwhile stays.
        let kept = aside(&root);
        fs::create_dir_all(root.join("new")).unwrap();
        fs::write(root.join("new/mine"), "mine").unwrap();
        kept.put_back().unwrap();
        assert!(root.join("new/mine").exists());
    }
}
