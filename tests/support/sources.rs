//! The project's own text, for tests that hold it to its rules.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The project.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below `folder`.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// The code of a file without its comments and its unit tests, which may use what they like.
pub(crate) fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default().to_owned();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Whether the file holds nothing but tests.
pub(crate) fn is_test(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "tests.rs" || name == "laws.rs")
        || path.components().any(|part| part.as_os_str() == "tests")
}
