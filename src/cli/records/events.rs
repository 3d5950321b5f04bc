//! The file of events, as they happen.

use std::{
    fs::File,
    io::Write as _,
    path::{Path, PathBuf},
};

use super::place::NotWritten;
use crate::{
    cli::{error::CliError, render},
    protocol::events::Event,
};

/// The file: one object a line, of the shape that `watch --json` has.
#[derive(Debug)]
pub(crate) struct Events {
    path: PathBuf,
    file: File,
    broken: Option<std::io::Error>,
}

impl Events {
    /// Begins it anew.
    pub(super) fn open(path: &Path) -> Result<Self, CliError> {
        let file = File::create(path);
        let file =
            file.map_err(|source| CliError::unavailable(NotWritten { path: path.to_owned(), source }))?;
        Ok(Self { path: path.to_owned(), file, broken: None })
    }

    /// Writes `event` at once: whoever reads along sees it now. A disk that is full ends no run; it is said at the end.
    pub(super) fn write(&mut self, event: &Event) {
        let Ok(line) = render::line(event) else { return };
        if self.broken.is_none() {
            self.broken = self.file.write_all(line.as_bytes()).err();
        }
    }

    /// Whether all of it was written.
    pub(super) fn close(self) -> Result<(), NotWritten> {
        self.broken.map_or(Ok(()), |source| Err(NotWritten { path: self.path, source }))
    }
}
