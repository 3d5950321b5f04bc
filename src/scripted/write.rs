//! Writes files, below the working directory only.

use std::{
    fs::File,
    io::Write as _,
    path::{Component, Path},
};

use rustix::{
    fs::{CWD, Mode, OFlags, mkdirat, openat},
    io::Errno,
};

/// A folder itself, never a link to one.
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Writes `text` to `path`, which is relative to `root`, and makes the folders above it. A path that
/// leads out, by `..`, from the root or over any link, is refused.
pub(super) fn write(root: &Path, path: &str, text: &str) -> Result<(), String> {
    let refused = |why: &str| format!("`{path}` {why}");
    let leads_out = || refused("does not stay below the working directory");
    let failed = |error: Errno| match error {
        Errno::LOOP | Errno::NOTDIR => leads_out(),
        error => refused(&format!("could not be written: {error}")),
    };
    let parts: Vec<_> = Path::new(path).components().filter(|part| *part != Component::CurDir).collect();
    let Some((name, folders)) = parts.split_last() else { return Err(leads_out()) };
    if parts.iter().any(|part| !matches!(part, Component::Normal(_))) {
        return Err(leads_out());
    }
    // From folder to folder by handle, so that none can be exchanged for a link on the way.
    let mut folder = openat(CWD, root, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).map_err(failed)?;
    for part in folders {
        match mkdirat(&folder, part.as_os_str(), Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(failed(error)),
        }
        folder = openat(&folder, part.as_os_str(), FOLDER, Mode::empty()).map_err(failed)?;
    }
    // Without waiting, should a named pipe stand there.
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = openat(&folder, name.as_os_str(), flags | OFlags::CLOEXEC, Mode::from_raw_mode(0o666));
    let mut file = File::from(file.map_err(failed)?);
    file.write_all(text.as_bytes()).map_err(|error| refused(&format!("could not be written: {error}")))
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

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

    #[test]
    fn a_named_pipe_is_refused_and_not_waited_for() {
        let root = tempfile::tempdir().unwrap();
        let made = std::process::Command::new("mkfifo").arg(root.path().join("pipe")).status().unwrap();
        assert!(made.success());
        write(root.path(), "pipe", "mine").unwrap_err();
    }
}
