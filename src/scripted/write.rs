//! Writes files, below the working directory only.

use std::{
    fs,
    path::{Component, Path},
};

/// Writes `text` to `path`, with the folders above it.
pub(super) fn write(path: &str, text: &str) -> Result<(), String> {
    let path = Path::new(path);
    if path.components().any(|part| !matches!(part, Component::Normal(_))) {
        return Err(format!("`{}` is not a path below the working directory", path.display()));
    }
    let here = Path::new(".").canonicalize().map_err(|error| error.to_string())?;
    let folder = here.join(path.parent().unwrap_or(Path::new("")));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    // A link on the way may lead out.
    let folder = folder.canonicalize().map_err(|error| error.to_string())?;
    let target = folder.join(path.file_name().unwrap_or_default());
    let leads_out = !folder.starts_with(&here) || target.is_symlink();
    if leads_out {
        return Err(format!("`{}` leads out of the working directory", path.display()));
    }
    fs::write(target, text).map_err(|error| error.to_string())
}
