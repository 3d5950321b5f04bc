//! The unit's file in the person's configuration.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use super::unit::{Author, author};
use crate::ids::UniqueId;

/// What stands in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// A unit, and who wrote it.
    Unit {
        /// Its text.
        text: String,
        /// Who.
        author: Author,
    },
    /// A link or something else that callbox never put there, such as the one by which systemd masks a unit.
    Other,
}

/// Looks at `path`.
pub(super) fn find(path: &Path) -> io::Result<Found> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        found => found?,
    };
    if !found.is_file() {
        return Ok(Found::Other);
    }
    let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
    let author = author(&text);
    Ok(Found::Unit { text, author })
}

/// Writes `text` to `path`, all at once, in the place of whatever stood there.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let draft: PathBuf = path.with_extension(UniqueId::mint().to_string());
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        // The first error counts.
        let _ = fs::remove_file(&draft);
    }
    written
}

/// Puts back what `before` was.
pub(super) fn restore(path: &Path, before: &Found) -> io::Result<()> {
    match before {
        Found::Unit { text, .. } => write(path, text),
        Found::Nothing | Found::Other => fs::remove_file(path),
    }
}
