//! Finding a program on the PATH of a run, which is not that of this process.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

/// The first executable file called `name` in the folders of `path`. Relative folders are passed
/// over: they would mean folders of the sandbox, and what lies there is not to be run.
pub(super) fn find_on_path(name: &str, path: &str) -> Option<PathBuf> {
    env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|candidate| is_executable(candidate))
}

/// Whether `path` is a file that somebody may execute.
pub(super) fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_executable_of_the_given_folders_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str, mode| {
            let path = folder.path().join(name).join("agent");
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        place("text", 0o644);
        fs::create_dir_all(folder.path().join("folder/agent")).unwrap();
        let wanted = place("good", 0o755);
        place("late", 0o755);
        let root = folder.path().display();
        let path = format!(".:relative::{root}/none:{root}/text:{root}/folder:{root}/good:{root}/late");
        assert_eq!(find_on_path("agent", &path), Some(wanted));
        assert_eq!(find_on_path("agent", "."), None);
        assert_eq!(find_on_path("agent", ""), None);
    }
}
