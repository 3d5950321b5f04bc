//! Writes files, below the working directory only.

use std::{
    fs, io,
    path::{Component, Path},
};

/// Writes `text` to `path`, which is relative to `root`, and makes the folders above it.
pub(super) fn write(root: &Path, path: &str, text: &str) -> Result<(), String> {
    let said = |error: io::Error| format!("`{path}` could not be written: {error}");
    let leads_out = || format!("`{path}` does not stay below the working directory");
    let parts: Vec<_> = Path::new(path).components().filter(|part| *part != Component::CurDir).collect();
    let Some((name, folders)) = parts.split_last() else { return Err(leads_out()) };
    if parts.iter().any(|part| !matches!(part, Component::Normal(_))) {
        return Err(leads_out());
    }
    let root = root.canonicalize().map_err(said)?;
    let mut folder = root.clone();
    for part in folders {
        folder.push(part);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(said(error)),
            _ => {}
        }
        // A link may lead out; looked at before anything is made behind it.
        folder = folder.canonicalize().map_err(said)?;
        if !folder.starts_with(&root) {
            return Err(leads_out());
        }
    }
    let target = folder.join(name);
    if target.is_symlink() {
        return Err(leads_out());
    }
    fs::write(target, text).map_err(said)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn files_are_written_with_their_folders() {
        let root = tempfile::tempdir().unwrap();
        for path in ["a", "./b", "c/d/e", "c/d/f"] {
            write(root.path(), path, path).unwrap();
            assert_eq!(fs::read_to_string(root.path().join(path)).unwrap(), path);
        }
    }

    #[test]
    fn nothing_is_written_or_made_outside() {
        let outside = tempfile::tempdir().unwrap();
        let root = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("file"), "theirs").unwrap();
        symlink(outside.path(), root.path().join("link")).unwrap();
        symlink(outside.path().join("file"), root.path().join("file")).unwrap();
        symlink(outside.path().join("new"), root.path().join("dangling")).unwrap();
        let absolute = outside.path().join("x");
        for path in
            ["", ".", "..", "../x", "a/../../x", "link/x", "link/a/x", "file", "dangling", "dangling/x"]
        {
            write(root.path(), path, "mine").unwrap_err();
        }
        write(root.path(), absolute.to_str().unwrap(), "mine").unwrap_err();
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
        assert_eq!(fs::read_to_string(outside.path().join("file")).unwrap(), "theirs");
    }
}
