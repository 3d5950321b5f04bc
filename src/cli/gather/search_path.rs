//! Finding programs as a shell does.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use rustix::fs::Access;

/// A list of folders as in PATH.
#[derive(Debug, Clone, Default)]
pub(crate) struct SearchPath(OsString);

impl SearchPath {
    /// The folders named by `variable`, PATH's value; none where it is unset.
    pub(crate) fn new(variable: Option<&OsString>) -> Self {
        Self(variable.cloned().unwrap_or_default())
    }

    /// The first program called `name`. Empty entries, which mean the working directory, count for
    /// nothing: an agent's program must not come out of the project.
    pub(crate) fn find(&self, name: impl AsRef<OsStr>) -> Option<PathBuf> {
        env::split_paths(&self.0)
            .filter(|folder| !folder.as_os_str().is_empty())
            .map(|folder| folder.join(name.as_ref()))
            .find(|path| is_program(path))
    }
}

/// Whether `path` is a file that this user may run.
pub(super) fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;

    #[test]
    fn the_first_file_that_may_be_run_is_the_program() {
        let folder = tempfile::TempDir::new().unwrap();
        let place = |name: &str| folder.path().join(name);
        for (name, mode) in [("one/agent", 0o600), ("two/agent", 0o700), ("three/agent", 0o700)] {
            fs::create_dir_all(place(name).parent().unwrap()).unwrap();
            fs::write(place(name), "").unwrap();
            fs::set_permissions(place(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        fs::create_dir_all(place("zero/agent")).unwrap();
        let folders = ["", "zero", "one", "two", "three"].map(|name| match name {
            "" => PathBuf::new(),
            name => place(name),
        });
        let path = SearchPath::new(Some(&env::join_paths(folders).unwrap()));
        assert_eq!(path.find("agent"), Some(place("two/agent")));
        assert_eq!(path.find("other"), None);
        assert_eq!(SearchPath::default().find("agent"), None);
    }
}
