//! The lock that makes a process the store.
//!
//! The kernel's lock on an open file, so that it ends with its holder however that ends. The text in
//! the file only tells people who the holder is. The file is never removed: whoever waits for the
//! lock of a removed file waits beside whoever locked its successor.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read as _},
    os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    time::Duration,
};

use crate::layout::StateDir;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

/// How often a waiting store tries again.
const RETRY: Duration = Duration::from_millis(250);
/// More than any holder writes.
const LONGEST_TEXT: u64 = 1024;

/// Who holds the lock, as its file tells.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Holder {
    /// Its process id; absent in the moment before it is written.
    pub pid: Option<u32>,
    /// Its version of callbox.
    pub version: Option<String>,
    /// Its generation; absent while it opens the database.
    pub generation: Option<i64>,
}

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another store holds it.
    #[error("{} holds the state directory `{}`", described(holder), state.display())]
    HeldBy {
        /// The state directory.
        state: PathBuf,
        /// What its holder wrote.
        holder: Holder,
    },
    /// The file could not be opened, locked or written.
    #[error("the lock `{}` could not be taken", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// The lock, held until this is dropped.
#[derive(Debug)]
pub struct Locked {
    file: File,
    path: PathBuf,
}

impl Locked {
    /// Takes the lock of a prepared state directory, or says who holds it. Does not wait.
    pub fn take(state: &StateDir) -> Result<Self, LockError> {
        let path = state.lock();
        let failed = |source| LockError::File { path: state.lock(), source };
        loop {
            let file = open(&path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(LockError::HeldBy { state: state.root().to_owned(), holder: holder(&file) });
                }
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
            let locked = Self { file, path: path.clone() };
            // Somebody may have put another file there between the opening and the locking.
            if locked.stands() {
                locked.write(&Holder { generation: None, ..Holder::this() }).map_err(failed)?;
                return Ok(locked);
            }
        }
    }

    /// Takes the lock as soon as nobody holds it. Dropping the future gives up.
    pub async fn wait(state: &StateDir) -> Result<Self, LockError> {
        loop {
            match Self::take(state) {
                Err(LockError::HeldBy { .. }) => tokio::time::sleep(RETRY).await,
                taken => return taken,
            }
        }
    }

    /// Writes the generation into the file, once the database has given one.
    pub fn announce(&self, generation: i64) -> Result<(), LockError> {
        let holder = Holder { generation: Some(generation), ..Holder::this() };
        self.write(&holder).map_err(|source| LockError::File { path: self.path.clone(), source })
    }

    /// Whether the locked file still stands in its place: if not, another store can lock another one.
    pub fn stands(&self) -> bool {
        let (Ok(ours), Ok(found)) = (self.file.metadata(), fs::symlink_metadata(&self.path)) else {
            return false;
        };
        (ours.dev(), ours.ino()) == (found.dev(), found.ino())
    }

    fn write(&self, holder: &Holder) -> io::Result<()> {
        let mut text = serde_json::to_vec(holder)?;
        text.push(b'\n');
        // In this order a reader sees either text, or the new one with a tail of the old, which is
        // no JSON and reads as unknown.
        self.file.write_all_at(&text, 0)?;
        self.file.set_len(u64::try_from(text.len()).unwrap_or(u64::MAX))
    }
}

impl Holder {
    fn this() -> Self {
        Self {
            pid: Some(std::process::id()),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            generation: None,
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or(0);
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(flags)
        .open(path)
}

fn holder(file: &File) -> Holder {
    let mut text = String::new();
    let read = file.take(LONGEST_TEXT).read_to_string(&mut text);
    read.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn described(holder: &Holder) -> String {
    let Some(pid) = holder.pid else { return "another store, just starting,".to_owned() };
    let version = holder.version.as_deref().unwrap_or("of an unknown version");
    // The text is a file's and goes to terminals.
    let version: String = version.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').take(40).collect();
    match holder.generation {
        Some(generation) => format!("process {pid} (callbox {version}, generation {generation})"),
        None => format!("process {pid} (callbox {version}, just starting)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, StateDir) {
        let folder = tempfile::tempdir().unwrap();
        let state = StateDir::at(folder.path());
        (folder, state)
    }

    #[test]
    fn a_second_store_is_refused_and_told_the_holder() {
        let (_folder, state) = place();
        let first = Locked::take(&state).unwrap();
        let error = Locked::take(&state).unwrap_err().to_string();
        assert!(error.contains("just starting"), "{error}");
        first.announce(7).unwrap();
        let error = Locked::take(&state).unwrap_err();
        let pid = std::process::id();
        let version = env!("CARGO_PKG_VERSION");
        assert!(
            error.to_string().starts_with(&format!("process {pid} (callbox {version}, generation 7) holds")),
            "{error}"
        );
        drop(first);
        Locked::take(&state).unwrap();
    }

    #[test]
    fn the_lock_is_the_kernels_and_no_text_makes_a_store() {
        let (_folder, state) = place();
        fs::write(state.lock(), "{\"pid\": 1}").unwrap();
        drop(Locked::take(&state).unwrap());
        fs::write(state.lock(), "\u{1b}]0;hostile\u{7} text".repeat(1000)).unwrap();
        let held = open(&state.lock()).unwrap();
        held.lock().unwrap();
        let error = Locked::take(&state).unwrap_err();
        assert!(error.to_string().starts_with("another store"), "{error}");
    }

    #[tokio::test]
    async fn a_store_that_waits_gets_the_lock_when_it_is_free() {
        let (_folder, state) = place();
        let first = Locked::take(&state).unwrap();
        let waiting = tokio::spawn({
            let state = state.clone();
            async move { Locked::wait(&state).await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        waiting.await.unwrap().unwrap();
    }

    #[test]
    fn a_lock_file_that_is_taken_away_is_noticed() {
        let (_folder, state) = place();
        let first = Locked::take(&state).unwrap();
        assert!(first.stands());
        fs::remove_file(state.lock()).unwrap();
        let second = Locked::take(&state).unwrap();
        assert!(second.stands());
        assert!(!first.stands());
    }

    #[test]
    fn a_link_in_its_place_is_refused() {
        let (folder, state) = place();
        let target = folder.path().join("target");
        fs::write(&target, "mine").unwrap();
        std::os::unix::fs::symlink(&target, state.lock()).unwrap();
        assert!(matches!(Locked::take(&state), Err(LockError::File { .. })));
        assert_eq!(fs::read_to_string(target).unwrap(), "mine");
    }
}
