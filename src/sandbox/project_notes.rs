//! What a person should know about a project before an agent works on a clone of it.

use std::{fs::File, io::Read as _, path::Path};

/// Files whose packages an agent will have to install first.
const LOCK_FILES: [&str; 11] = [
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "uv.lock",
    "poetry.lock",
    "Pipfile.lock",
    "Gemfile.lock",
    "composer.lock",
    "mix.lock",
    "pubspec.lock",
];

/// One sentence for each thing that a clone of the work tree `root` lacks.
pub(super) fn notes(root: &Path, uncommitted: usize) -> Vec<String> {
    let mut notes = Vec::new();
    match uncommitted {
        0 => {}
        1 => notes.push("1 changed file is not included".to_owned()),
        many => notes.push(format!("{many} changed files are not included")),
    }
    if root.join(".gitmodules").is_file() {
        notes.push("submodules are not filled in".to_owned());
    }
    if mentions_lfs(&root.join(".gitattributes")) {
        notes.push("files kept by Git LFS are pointers".to_owned());
    }
    if root.join(".env").is_file() {
        notes.push("`.env` is not copied".to_owned());
    }
    if let Some(lock) = LOCK_FILES.iter().find(|name| root.join(name).is_file()) {
        notes.push(format!("the packages in `{lock}` are not installed"));
    }
    notes
}

fn mentions_lfs(attributes: &Path) -> bool {
    let mut text = Vec::new();
    // An attributes file that cannot be read only costs the note.
    let read = File::open(attributes).and_then(|file| file.take(1 << 20).read_to_end(&mut text));
    read.is_ok() && String::from_utf8_lossy(&text).contains("filter=lfs")
}
