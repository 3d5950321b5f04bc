//! A file that is written whole at the end, or not at all.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use crate::cli::error::CliError;

/// The file, begun beside its place.
#[derive(Debug)]
pub(super) struct Place {
    path: PathBuf,
    begun: NamedTempFile,
}

/// Why a file of a run's result is not there.
#[derive(Debug, thiserror::Error)]
#[error("`{}` cannot be written", path.display())]
pub(super) struct NotWritten {
    /// The file.
    pub(super) path: PathBuf,
    /// Why.
    pub(super) source: io::Error,
}

impl Place {
    /// Begins the file at `path`; nothing is to be seen of it yet.
    pub(super) fn open(path: &Path) -> Result<Self, CliError> {
        let refused = |source| CliError::unavailable(NotWritten { path: path.to_owned(), source });
        if path.is_dir() {
            return Err(refused(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")));
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        let begun = tempfile::Builder::new()
            .prefix(".callbox-")
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
            .tempfile_in(folder)
            .map_err(refused)?;
        Ok(Self { path: path.to_owned(), begun })
    }

    /// Writes all of it, in the place of what was there.
    pub(super) fn write(mut self, text: &str) -> Result<(), NotWritten> {
        let path = self.path;
        let written = self.begun.write_all(text.as_bytes()).and_then(|()| self.begun.as_file().sync_all());
        let kept = written.and_then(|()| self.begun.persist(&path).map(drop).map_err(|error| error.error));
        kept.map_err(|source| NotWritten { path, source })
    }
}
