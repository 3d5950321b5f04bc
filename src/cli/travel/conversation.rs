//! The files of a conversation: found where its program keeps them, and put where it will look for them.

use std::{
    collections::BTreeMap,
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use crate::{
    agents::{Adapter, Shelf, Talk},
    archive::Transcript,
    ids::Secret,
    layout::StateDir,
};

/// A file that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToWrite {
    pub(super) file: PathBuf,
    pub(super) bytes: Vec<u8>,
}

/// The files of the conversation `session` in `directory`, as `adapter` keeps them with `environment`, else in the home of
/// hermetic runs.
pub(super) fn find(
    adapter: &dyn Adapter,
    state: &StateDir,
    environment: &BTreeMap<String, Secret>,
    (session, directory): (&str, &Path),
) -> io::Result<Vec<Transcript>> {
    let hermetic =
        BTreeMap::from([("HOME".to_owned(), Secret::new(state.home().to_string_lossy().into_owned()))]);
    for environment in [environment, &hermetic] {
        let Some(shelf) = adapter.shelf(&Talk { session, directory, environment }) else { continue };
        let mut found = Vec::new();
        below(&shelf.root, &shelf, &mut Vec::new(), &mut found)?;
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// Links are not followed: a file of a conversation is a file.
fn below(
    folder: &Path,
    shelf: &Shelf,
    path: &mut Vec<String>,
    found: &mut Vec<Transcript>,
) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(());
        }
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let kind = entry.file_type()?;
        path.push(name);
        if kind.is_dir() && path.len() < shelf.way.len() {
            below(&entry.path(), shelf, path, found)?;
        } else if kind.is_file() && shelf.holds(path) {
            found.push(Transcript { path: path.clone(), bytes: fs::read(entry.path())? });
        }
        path.pop();
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(())
}

/// Where `files` go for `talk`; a path that no such file has is named.
pub(super) fn put_where(
    adapter: &dyn Adapter,
    talk: &Talk<'_>,
    files: &[Transcript],
) -> Result<Vec<ToWrite>, String> {
    let mut wanted = Vec::new();
    for Transcript { path, bytes } in files {
        let name = path.join("/");
        let shelf = adapter.shelf(talk).filter(|shelf| shelf.holds(path));
        let shelved = shelf.and_then(|_| adapter.shelved(path, talk)).ok_or(name)?;
        wanted.push(ToWrite { file: shelved.file, bytes: bytes.clone() });
        wanted.extend(shelved.beside.map(|(file, text)| ToWrite { file, bytes: text.into_bytes() }));
    }
    Ok(wanted)
}

impl ToWrite {
    /// Whether the very same stands there already; refused where something else does.
    pub(super) fn stands(&self) -> io::Result<bool> {
        match fs::symlink_metadata(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
            Ok(found) if found.is_file() && fs::read(&self.file)? == self.bytes => Ok(true),
            Ok(_) => Err(io::Error::other("something else stands there")),
        }
    }

    /// Writes it, for this user alone, where nothing stands.
    pub(super) fn write(&self) -> io::Result<()> {
        if let Some(folder) = self.file.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&self.file)?;
        file.write_all(&self.bytes)?;
        file.sync_all()
    }
}
