//! Whether the files that make this process the store still stand in their places. Without its lock
//! another store can take the directory, without its sockets nobody can reach this one, and without its
//! database whatever is acknowledged is gone with the last process that has it open.

use std::{
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::time::{MissedTickBehavior, interval};

/// How often [`Footing::lost`] looks. Nothing depends on it being soon: the database itself refuses to
/// write where its file or its generation is gone.
const LOOK: Duration = Duration::from_secs(1);

/// Which files stood there when the store opened.
#[derive(Debug)]
pub(super) struct Footing {
    files: Vec<(PathBuf, Option<(u64, u64)>)>,
}

impl Footing {
    /// Remembers the files at `paths`. One that is gone already is lost.
    pub(super) fn on(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let files = paths.into_iter().map(|path| (path.clone(), identity(&path).ok()));
        Self { files: files.collect() }
    }

    /// Ends when one of them is gone or is another file; which.
    pub(super) async fn lost(&self) -> &Path {
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            let is_lost =
                |(path, own): &&(PathBuf, Option<(u64, u64)>)| own.is_none() || identity(path).ok() != *own;
            if let Some((path, _)) = self.files.iter().find(is_lost) {
                return path;
            }
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let found = fs::symlink_metadata(path)?;
    Ok((found.dev(), found.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_that_is_removed_or_replaced_is_named() {
        for replaced in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let paths = ["lock", "database"].map(|name| folder.path().join(name));
            for path in &paths {
                fs::write(path, "").unwrap();
            }
            let footing = Footing::on(paths.clone());
            let other = folder.path().join("other");
            fs::write(&other, "").unwrap();
            if replaced { fs::rename(&other, &paths[1]) } else { fs::remove_file(&paths[1]) }.unwrap();
            assert_eq!(footing.lost().await, paths[1]);
        }
    }
}
