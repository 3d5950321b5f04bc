//! The state directory made ready: the owner's alone, writable, with its folders.

use std::{
    fs::{self, DirBuilder, Metadata},
    io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use rustix::fs::Access;

use crate::layout::StateDir;

/// A state directory that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateDirError {
    /// Something else stands in its place or in the place of one of its folders.
    #[error("`{}` is not a folder", path.display())]
    NotFolder {
        /// What stands there.
        path: PathBuf,
    },
    /// It belongs to somebody else.
    #[error("`{}` belongs to user {owner}, and callbox runs as user {uid}", path.display())]
    Foreign {
        /// The folder or link.
        path: PathBuf,
        /// Its owner.
        owner: u32,
        /// This process's user.
        uid: u32,
    },
    /// Others could have put something into it.
    #[error("`{}` can be written by other users (mode {mode:03o})", path.display())]
    OpenToOthers {
        /// The folder.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// It holds other things, among which callbox would put its own, closing them all to other users.
    #[error("`{}` is no state directory: it holds `{}` and nothing of callbox's", path.display(), found.display())]
    Another {
        /// The folder.
        path: PathBuf,
        /// One thing that is in it.
        found: PathBuf,
    },
    /// It cannot be written.
    #[error("`{}` is read-only", path.display())]
    ReadOnly {
        /// The folder.
        path: PathBuf,
    },
    /// The kernel refused.
    #[error("`{}` could not be made ready as a state directory", path.display())]
    File {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl StateDirError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::OpenToOthers { path, .. } => {
                format!("if what is in it is yours, `chmod 700 {}` makes it usable", path.display())
            }
            _ => "name another state directory with `--state DIR` or in CALLBOX_STATE".to_owned(),
        }
    }
}

/// Makes `path` and the folders in it, each with mode 0700, or finds them fit for use. The returned
/// paths are absolute and lead through no link.
pub fn prepare(path: &Path) -> Result<StateDir, StateDirError> {
    make(path)?;
    let root = path.canonicalize().map_err(|source| failed(path, source))?;
    let state = StateDir::at(root);
    refuse_another(&state)?;
    own(state.root())?;
    for folder in [state.agent_folder(), state.operator_folder(), state.executions(), state.sandboxes()] {
        make(&folder)?;
        own(&folder)?;
    }
    Ok(state)
}

/// Refuses a folder that is open to others and holds things, but none of a state directory's: most likely another was
/// meant, and closing it would keep from others what they use.
fn refuse_another(state: &StateDir) -> Result<(), StateDirError> {
    let found = fs::symlink_metadata(state.root()).map_err(|source| failed(state.root(), source))?;
    let open_to_others = found.mode() & 0o077 != 0;
    // One that others could have filled is refused for that.
    let filled_by_others = found.mode() & 0o022 != 0;
    if !open_to_others || filled_by_others || !found.is_dir() {
        return Ok(());
    }
    let own = [
        state.database(),
        state.lock(),
        state.agent_folder(),
        state.operator_folder(),
        state.executions(),
        state.sandboxes(),
    ];
    if own.iter().any(|path| fs::symlink_metadata(path).is_ok()) {
        return Ok(());
    }
    // One that cannot be read is refused for that.
    let mut entries = fs::read_dir(state.root()).map_err(|source| failed(state.root(), source))?;
    match entries.next() {
        None => Ok(()),
        // Another process may just have begun to make it ready.
        Some(_) if own.iter().any(|path| fs::symlink_metadata(path).is_ok()) => Ok(()),
        Some(entry) => {
            let found = entry.map_err(|source| failed(state.root(), source))?.file_name().into();
            Err(StateDirError::Another { path: state.root().to_owned(), found })
        }
    }
}

/// Makes the folder with mode 0700 where nothing stands. A link in its place is followed only if it
/// is this user's own: one put into a shared folder by somebody else could lead anywhere.
fn make(path: &Path) -> Result<(), StateDirError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => belongs(path, &found)?,
        Ok(found) if !found.is_dir() => return Err(StateDirError::NotFolder { path: path.to_owned() }),
        _ => {}
    }
    made.map_err(|source| failed(path, source))
}

/// Refuses a folder that is not this user's alone. What only reading would betray is closed without
/// ado, since a state directory may come back from a CI cache with the umask's modes; where others
/// could write, what is in it can no longer be trusted.
fn own(path: &Path) -> Result<(), StateDirError> {
    let found = fs::symlink_metadata(path).map_err(|source| failed(path, source))?;
    if !found.is_dir() {
        return Err(StateDirError::NotFolder { path: path.to_owned() });
    }
    belongs(path, &found)?;
    let mode = found.mode() & 0o777;
    if mode & 0o022 != 0 && !is_empty(path)? {
        return Err(StateDirError::OpenToOthers { path: path.to_owned(), mode });
    }
    if mode & 0o077 != 0 {
        let private = fs::Permissions::from_mode(0o700);
        fs::set_permissions(path, private).map_err(|source| failed(path, source))?;
    }
    rustix::fs::access(path, Access::WRITE_OK).map_err(|error| failed(path, error.into()))
}

fn belongs(path: &Path, found: &Metadata) -> Result<(), StateDirError> {
    let uid = rustix::process::geteuid().as_raw();
    if found.uid() == uid {
        return Ok(());
    }
    Err(StateDirError::Foreign { path: path.to_owned(), owner: found.uid(), uid })
}

fn is_empty(path: &Path) -> Result<bool, StateDirError> {
    let mut entries = fs::read_dir(path).map_err(|source| failed(path, source))?;
    Ok(entries.next().is_none())
}

fn failed(path: &Path, source: io::Error) -> StateDirError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            StateDirError::ReadOnly { path }
        }
        _ => StateDirError::File { path, source },
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn everything_in_it_is_made_for_the_owner_alone() {
        let place = tempfile::tempdir().unwrap();
        let state = prepare(&place.path().join("deep/er/state")).unwrap();
        for folder in [state.root(), &state.agent_folder(), &state.operator_folder(), &state.sandboxes()] {
            assert_eq!(mode(folder), 0o700, "{}", folder.display());
        }
        assert_eq!(prepare(state.root()).unwrap(), state, "and is found again");
    }

    #[test]
    fn a_folder_that_others_could_read_is_closed() {
        let place = tempfile::tempdir().unwrap();
        let state = prepare(&place.path().join("state")).unwrap();
        set(state.root(), 0o755);
        set(&state.operator_folder(), 0o755);
        prepare(state.root()).unwrap();
        assert_eq!((mode(state.root()), mode(&state.operator_folder())), (0o700, 0o700));
    }

    #[test]
    fn a_folder_into_which_others_could_have_put_something_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("state");
        fs::create_dir(&path).unwrap();
        set(&path, 0o777);
        prepare(&path).expect("an empty one holds nothing of anybody's");
        assert_eq!(mode(&path), 0o700);
        set(&path, 0o770);
        let error = prepare(&path).unwrap_err();
        assert!(error.to_string().ends_with("can be written by other users (mode 770)"), "{error}");
        assert!(error.hint().contains("chmod 700"));
        set(&path, 0o700);
        set(&path.join("operator"), 0o777);
        fs::write(path.join("operator/planted"), "").unwrap();
        assert!(matches!(prepare(&path), Err(StateDirError::OpenToOthers { .. })));
    }

    #[test]
    fn a_link_inside_it_is_refused_and_a_link_of_ones_own_to_it_is_followed() {
        let place = tempfile::tempdir().unwrap();
        let real = prepare(&place.path().join("real")).unwrap();
        let link = place.path().join("link");
        symlink(real.root(), &link).unwrap();
        assert_eq!(prepare(&link).unwrap(), real);
        let elsewhere = place.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        fs::remove_dir(real.operator_folder()).unwrap();
        symlink(&elsewhere, real.operator_folder()).unwrap();
        let error = prepare(real.root()).unwrap_err();
        assert!(matches!(error, StateDirError::NotFolder { .. }), "{error}");
    }

    #[test]
    fn a_file_in_its_place_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("state");
        fs::write(&path, "mine").unwrap();
        let error = prepare(&path).unwrap_err();
        assert!(error.to_string().ends_with("is not a folder"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }

    #[test]
    fn the_folder_of_another_user_is_refused() {
        let uid = rustix::process::geteuid().as_raw();
        // `/proc/1` is root's; for root itself a folder is given away.
        let place = tempfile::tempdir().unwrap();
        let path = if uid == 0 { place.path().to_owned() } else { PathBuf::from("/proc/1") };
        if uid == 0 {
            std::os::unix::fs::chown(&path, Some(1), None).unwrap();
        }
        let error = own(&path).unwrap_err();
        assert!(matches!(error, StateDirError::Foreign { .. }), "{error}");
    }

    #[test]
    fn a_file_system_without_room_for_changes_is_named_read_only() {
        let refused = failed(Path::new("/s"), io::Error::from(io::ErrorKind::ReadOnlyFilesystem));
        assert_eq!(refused.to_string(), "`/s` is read-only");
    }
}
