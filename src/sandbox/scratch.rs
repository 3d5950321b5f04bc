//! A place in callbox's own folder that is gone with the value that stands for it.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use super::git::Git;

/// A path that nothing else uses. What was made there is removed with this.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// A folder, made for the owner alone. `kind` begins its name.
    pub(super) fn folder(git: &Git, kind: &str) -> io::Result<Self> {
        let scratch = Self::file(git, kind);
        DirBuilder::new().mode(0o700).create(&scratch.path)?;
        Ok(scratch)
    }

    /// A place for a file, which is not made yet.
    pub(super) fn file(git: &Git, kind: &str) -> Self {
        Self { path: git.configuration().scratch(kind) }
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays is garbage in callbox's own folder, and no reason to fail.
        let _ = match fs::symlink_metadata(&self.path) {
            Ok(found) if found.is_dir() => fs::remove_dir_all(&self.path),
            _ => fs::remove_file(&self.path),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_there_is_gone_with_it_whatever_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::new(folder.path()).unwrap();
        let (file, made, empty) =
            (Scratch::file(&git, "a"), Scratch::folder(&git, "b").unwrap(), Scratch::file(&git, "c"));
        fs::write(file.path(), "x").unwrap();
        fs::write(made.path().join("x"), "x").unwrap();
        let paths = [&file, &made, &empty].map(|scratch| scratch.path().to_owned());
        assert!(paths[0].exists() && paths[1].exists());
        drop((file, made, empty));
        assert!(paths.iter().all(|path| !path.exists()), "{paths:?}");
    }
}
