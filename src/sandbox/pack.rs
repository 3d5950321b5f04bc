//! Objects on their way from one object store to another.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{git::Git, git_error::GitError, invocation::Invocation, scratch::Scratch, space};

/// A pack in a folder of callbox's own that is removed with this.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pack {
    folder: Scratch,
}

impl Pack {
    /// An empty one.
    pub(super) fn begin(git: &Git) -> io::Result<Self> {
        Ok(Self { folder: Scratch::folder(git, "pack")? })
    }

    /// One with the packs in `folder`; `None` where there are none.
    pub(super) fn copy_of(git: &Git, folder: &Path) -> io::Result<Option<Self>> {
        let pack = Self::begin(git)?;
        let mut any = false;
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.path().extension().is_some_and(|kind| kind == "pack" || kind == "idx") {
                fs::copy(entry.path(), pack.folder.path().join(entry.file_name()))?;
                any = true;
            }
        }
        Ok(any.then_some(pack))
    }

    /// Puts into it what `commit` has and `known` has not; `pack_objects` is git's command of that
    /// name where they all are.
    pub(super) fn fill(&self, pack_objects: Invocation, commit: &str, known: &str) -> Result<(), GitError> {
        let revisions = format!("{commit}\n^{known}\n");
        let run = pack_objects.args(["--quiet", "--revs"]).arg(self.folder.path().join("pack"));
        run.input(revisions.into_bytes()).succeed().map(drop)
    }

    /// Its files. The index of the pack comes last: with it, git takes the pack for complete.
    pub(super) fn files(&self) -> io::Result<Vec<PathBuf>> {
        let mut files: Vec<PathBuf> =
            fs::read_dir(self.folder.path())?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        files.sort_by_key(|file| file.extension().is_some_and(|kind| kind == "idx"));
        Ok(files)
    }

    /// Its bytes.
    pub(super) fn size(&self) -> u64 {
        space::size(self.folder.path())
    }

    /// Copies it into the object store `objects`, which nobody else writes to.
    pub(super) fn copy_into(&self, objects: &Path) -> io::Result<()> {
        for file in self.files()? {
            let name = file.file_name().ok_or_else(|| io::Error::other("a pack file must have a name"))?;
            fs::copy(&file, objects.join("pack").join(name))?;
        }
        Ok(())
    }
}
