//! Which children a process started itself, so that the adopted ones can be told apart.

use std::{
    collections::BTreeSet,
    io,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{
    pid::Pid,
    running::{Process, ReadProcessError},
    subreaper::{children, reap},
};

/// The children this process started and waits for. Everything else below it was adopted.
///
/// Starting and looking exclude each other: between the start of a child and the note of its pid
/// nobody may take it for an adopted one, or its exit status would be lost to whoever waits for it.
#[derive(Debug, Default)]
pub struct Family {
    known: Mutex<BTreeSet<Process>>,
}

impl Family {
    /// Starts `command` and notes its process as a child of our own. One that could not be noted would be
    /// taken for an adopted one, and is ended.
    pub fn spawn(&self, command: &mut tokio::process::Command) -> io::Result<tokio::process::Child> {
        let mut known = self.lock();
        let mut child = command.spawn()?;
        match child.id().and_then(Pid::new).map(Process::of) {
            Some(Ok(process)) => _ = known.insert(process),
            Some(Err(ReadProcessError::Unreadable { source, .. })) => {
                child.start_kill()?;
                return Err(source);
            }
            Some(Err(ReadProcessError::Gone { .. })) | None => {}
        }
        Ok(child)
    }

    /// The adopted children that live.
    pub fn adopted(&self) -> io::Result<Vec<Process>> {
        let known = self.lock();
        let mut found = children()?;
        found.retain(|child| !known.contains(child) && child.is_alive());
        Ok(found)
    }

    /// Clears away the adopted children that have ended and returns how many. A child of our own is
    /// never touched: tokio waits for it. To be called only while nobody starts processes by another
    /// way than [`Family::spawn`].
    pub fn reap_adopted(&self) -> io::Result<usize> {
        let mut known = self.lock();
        let found = children()?;
        known.retain(|child| found.contains(child));
        Ok(found.into_iter().filter(|child| !known.contains(child) && reap(*child)).count())
    }

    /// The children of our own that live.
    pub(super) fn own(&self) -> Vec<Process> {
        self.lock().iter().copied().filter(|child| child.is_alive()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<Process>> {
        // A panic between two insertions leaves a set that is still true.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
