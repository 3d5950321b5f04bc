//! What the person ignores beyond the project's own `.gitignore`: it is not an agent's left-over work.

use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use super::{git::Git, project::Project};

/// Patterns as git reads them.
#[derive(Debug, Default)]
pub(super) struct Exclude {
    /// From the project's `info/exclude`.
    pub(super) project: Vec<u8>,
    /// From the person's `core.excludesFile`, which an agent finds through HOME.
    pub(super) person: Vec<u8>,
}

/// Reads both; a file that cannot be read ignores nothing.
pub(super) fn read(git: &Git, project: &Project, configured: Option<&str>) -> Exclude {
    let person = git.person_folders().map(|(home, xdg)| match configured {
        Some(path) => path.strip_prefix("~/").map_or_else(|| PathBuf::from(path), |path| home.join(path)),
        None => xdg.map_or_else(|| home.join(".config"), PathBuf::from).join("git/ignore"),
    });
    Exclude {
        project: patterns(&project.common.join("info/exclude")),
        person: person.map(|path| patterns(&path)).unwrap_or_default(),
    }
}

fn patterns(path: &Path) -> Vec<u8> {
    let mut text = Vec::new();
    let read = File::open(path).and_then(|file| file.take(1 << 20).read_to_end(&mut text));
    if read.is_err() {
        return Vec::new();
    }
    text.push(b'\n');
    text
}
