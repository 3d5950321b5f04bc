//! Which texts of `.callbox.toml` a person has trusted, for which project.

use std::{
    fmt::Write as _,
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::ids::UniqueId;

/// All of it: one line of JSON for each project.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Trusted {
    entries: Vec<Entry>,
}

/// How a text stands to that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// It was trusted for this project.
    Given,
    /// Another text was.
    ForAnotherText,
    /// None was.
    Never,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    project: PathBuf,
    sha256: String,
}

impl Trusted {
    /// Reads the file at `path`; where there is none, nothing is trusted. A line that is none of these trusts nothing.
    pub fn load(path: &Path) -> io::Result<Self> {
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            text => text?,
        };
        Ok(Self { entries: text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect() })
    }

    /// How `text` stands for the project at `root`.
    pub fn trust(&self, root: &Path, text: &[u8]) -> Trust {
        match self.entries.iter().find(|entry| entry.project == root) {
            Some(entry) if entry.sha256 == hash(text) => Trust::Given,
            Some(_) => Trust::ForAnotherText,
            None => Trust::Never,
        }
    }

    /// Trusts `text` for the project at `root`, and no other any more.
    pub fn give(&mut self, root: &Path, text: &[u8]) {
        self.entries.retain(|entry| entry.project != root);
        self.entries.push(Entry { project: root.to_owned(), sha256: hash(text) });
    }

    /// Writes the file at `path`, all at once; mode 0600.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let mut text = String::new();
        for entry in &self.entries {
            text.push_str(&serde_json::to_string(entry)?);
            text.push('\n');
        }
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let draft = path.with_extension(UniqueId::mint().to_string());
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        file.write_all(text.as_bytes())?;
        fs::rename(&draft, path)
    }
}

fn hash(text: &[u8]) -> String {
    Sha256::digest(text).iter().fold(String::new(), |mut hash, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hash, "{byte:02x}");
        hash
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_text_is_trusted_and_only_for_its_project() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("callbox/trusted");
        let (shop, other) = (Path::new("/home/pat/shop"), Path::new("/home/pat/other"));
        let mut trusted = Trusted::load(&path).unwrap();
        assert_eq!(trusted.trust(shop, b"a"), Trust::Never);
        trusted.give(shop, b"a");
        trusted.save(&path).unwrap();
        let mut trusted = Trusted::load(&path).unwrap();
        assert_eq!(trusted.trust(shop, b"a"), Trust::Given);
        assert_eq!(trusted.trust(shop, b"a "), Trust::ForAnotherText);
        assert_eq!(trusted.trust(other, b"a"), Trust::Never);
        trusted.give(shop, b"b");
        trusted.save(&path).unwrap();
        assert_eq!(Trusted::load(&path).unwrap().trust(shop, b"a"), Trust::ForAnotherText);
        fs::write(&path, "nonsense\n{\"project\": 1}\n").unwrap();
        assert_eq!(Trusted::load(&path).unwrap(), Trusted::default());
    }
}
