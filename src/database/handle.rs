//! The handle that the store holds.

use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::{
    BackupError, MIGRATIONS, Migration, OpenError, Read, ReadError, Write, WriteError,
    open::{open, sorted},
    reader::Readers,
    writer::Writer,
};

/// The open database of one state directory: one writer, a few readers. Shared behind an `Arc`;
/// dropped, it carries out what still waits and closes the file.
pub struct Database {
    readers: Readers,
    writer: Writer,
    generation: i64,
}

impl Database {
    /// Opens or makes the database at `path`, upgrades it, and takes it from whichever store had it
    /// before: from now on that store can write nothing more.
    ///
    /// Blocks: for start-up, before anybody waits. `path` stands in a folder that exists.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Self::open_with(path, MIGRATIONS)
    }

    /// As [`Database::open`], with another history of the schema.
    pub fn open_with(path: &Path, migrations: &[Migration]) -> Result<Self, OpenError> {
        let opened = open(path, migrations)?;
        let readers = Readers::open(&opened.path).map_err(|error| sorted(&opened.path, error))?;
        let writer = Writer::start(opened.connection, opened.path.clone(), opened.generation)
            .map_err(|source| OpenError::File { path: opened.path, source })?;
        Ok(Self { readers, writer, generation: opened.generation })
    }

    /// Counts up with every store that opened this state directory, from 1.
    pub fn generation(&self) -> i64 {
        self.generation
    }

    /// Cancelled once this store has met a later one's generation. It is checked by every
    /// transaction, never in between.
    pub fn fenced(&self) -> &CancellationToken {
        self.writer.fenced()
    }

    /// Carries out `work` in a transaction that it shares with whatever else waits, and returns once
    /// that is committed. Once queued it is carried out even if the returned future is dropped.
    ///
    /// `work` runs on the writer's thread and keeps everybody waiting: rows only, no other I/O. An
    /// error or a panic of it undoes its own changes alone.
    pub async fn write<T, E, F>(&self, work: F) -> Result<T, WriteError<E>>
    where
        F: FnOnce(&mut Write<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: Send + 'static,
    {
        self.writer.write(work).await
    }

    /// Runs `work` on a blocking thread over one consistent view, which holds everything that was
    /// answered before the call.
    pub async fn read<T, E, F>(&self, work: F) -> Result<T, ReadError<E>>
    where
        F: FnOnce(&Read<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: Send + 'static,
    {
        self.readers.read(work).await
    }

    /// Saves a copy of everything that was answered before the call to the file `target`, where nothing stands; its
    /// size in bytes. Others write meanwhile.
    pub async fn back_up(&self, target: PathBuf) -> Result<u64, ReadError<BackupError>> {
        self.readers.back_up(target).await
    }

    /// Takes no more writes, carries out those that wait, checkpoints and closes the writer's file.
    /// Later writes are refused with [`WriteError::Stopped`]; reads go on until the handle is dropped.
    ///
    /// Blocks until that is done.
    pub fn close(&self) {
        self.writer.stop();
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("generation", &self.generation).finish_non_exhaustive()
    }
}
