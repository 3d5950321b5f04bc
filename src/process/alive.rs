//! The lock that says a supervisor lives: held from its start to its end, whatever ends it.
//!
//! An OS lock and not a heartbeat: laptops sleep, clocks jump and pids are reused, but the kernel
//! frees a lock with the last process that holds it. The file stays when the lock is freed; removing
//! it would let two processes lock two files of one name.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use super::pid::Pid;

/// The lock, held until this value is dropped or its process ends.
#[derive(Debug)]
pub struct Held {
    file: File,
}

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum HoldError {
    /// Another process holds it.
    #[error("`{}` is held by {}", path.display(), holder(*pid))]
    AlreadyHeld {
        /// The lock's file.
        path: PathBuf,
        /// Who holds it, where its text says so.
        pid: Option<Pid>,
    },
    /// The file could not be opened, locked or written.
    #[error("`{}` could not be locked", path.display())]
    Io {
        /// The lock's file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn holder(pid: Option<Pid>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

/// Takes the lock at `path` and writes this process's id into the file. Blocks for at most a quarter
/// of a second. Processes started later do not inherit the lock.
pub fn hold(path: &Path) -> Result<Held, HoldError> {
    let failed = |source| HoldError::Io { path: path.to_owned(), source };
    let file =
        OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path).map_err(failed)?;
    // A probe (`is_held`, `wait_until_free`) holds the lock for an instant; that is no holder.
    let mut tries = 25;
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if tries > 0 => {
                tries -= 1;
                thread::sleep(Duration::from_millis(10));
            }
            Err(TryLockError::WouldBlock) => {
                return Err(HoldError::AlreadyHeld { path: path.to_owned(), pid: holder_pid(path) });
            }
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
    }
    file.set_len(0).map_err(failed)?;
    writeln!(&file, "{}", Pid::current()).map_err(failed)?;
    Ok(Held { file })
}

impl Held {
    /// Whether the file was removed, most likely with the folder around it: then nobody can find out any
    /// more that this process lives. `false` where the system does not say.
    pub fn is_removed(&self) -> bool {
        self.file.metadata().is_ok_and(|file| file.nlink() == 0)
    }
}

/// Whether a living process holds the lock at `path`. A file that is not there is held by nobody.
pub fn is_held(path: &Path) -> io::Result<bool> {
    let Some(file) = open(path)? else { return Ok(false) };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The process whose id stands in the file: the holder while the lock is held, else the last one.
pub fn holder_pid(path: &Path) -> Option<Pid> {
    fs::read_to_string(path).ok()?.trim_end().parse().ok()
}

/// Blocks the calling thread until nobody holds the lock at `path`.
pub fn wait_until_free(path: &Path) -> io::Result<()> {
    match open(path)? {
        Some(file) => file.lock_shared(),
        None => Ok(()),
    }
}

fn open(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        os::unix::fs::PermissionsExt as _,
        process::{Command, Stdio},
        time::Instant,
    };

    use super::*;

    /// A process that another test is starting holds every descriptor until its `exec`.
    fn await_free(path: &Path) {
        let deadline = Instant::now() + Duration::from_secs(10);
        while is_held(path).unwrap() {
            assert!(Instant::now() < deadline, "`{}` is not freed", path.display());
            thread::yield_now();
        }
    }

    #[test]
    fn a_second_holder_is_refused_and_told_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("alive");
        let held = hold(&path).unwrap();
        let Err(HoldError::AlreadyHeld { pid, .. }) = hold(&path) else { panic!("two hold it") };
        assert_eq!(pid, Some(Pid::current()));
        drop(held);
        hold(&path).unwrap();
    }

    #[test]
    fn it_is_held_until_it_is_dropped_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("alive");
        assert!(!is_held(&path).unwrap());
        wait_until_free(&path).unwrap();
        let held = hold(&path).unwrap();
        assert!(is_held(&path).unwrap());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let waiting = thread::spawn({
            let path = path.clone();
            move || wait_until_free(&path)
        });
        drop(held);
        waiting.join().unwrap().unwrap();
        await_free(&path);
    }

    #[test]
    fn a_process_started_by_the_holder_does_not_hold_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("alive");
        let held = hold(&path).unwrap();
        let mut child = Command::new("sh").args(["-c", "read line"]).stdin(Stdio::piped()).spawn().unwrap();
        drop(held);
        await_free(&path);
        assert!(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_probe_in_the_same_instant_does_not_refuse_a_holder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("alive");
        File::create(&path).unwrap();
        let probe = File::open(&path).unwrap();
        probe.lock_shared().unwrap();
        let holding = thread::spawn({
            let path = path.clone();
            move || hold(&path)
        });
        drop(probe);
        holding.join().unwrap().unwrap();
    }
}
