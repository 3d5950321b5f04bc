//! The readers: a few read-only connections, lent out one view at a time.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::{BackupError, Read, StorageError, backup_file::save_copy, connection};

/// Connections. Reads are short and the page cache is warm, so more would only wait for the disk.
const CONNECTIONS: usize = 2;

/// A view that gave no value.
#[derive(Debug, thiserror::Error)]
pub enum ReadError<E> {
    /// The reading function itself refused.
    #[error(transparent)]
    Refused(E),
    /// The database could not be read.
    #[error("the state directory's database could not be read")]
    Storage(#[source] StorageError),
    /// The reading function panicked.
    #[error("a fault of callbox stopped the reading")]
    Panicked,
}

/// The pool.
pub(super) struct Readers {
    idle: Arc<Mutex<Vec<Connection>>>,
    /// Counts the connections in `idle`, for those who wait.
    free: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn open(path: &Path) -> rusqlite::Result<Self> {
        let idle = (0..CONNECTIONS).map(|_| connection::open_reading(path)).collect::<Result<_, _>>()?;
        Ok(Self { idle: Arc::new(Mutex::new(idle)), free: Arc::new(Semaphore::new(CONNECTIONS)) })
    }

    /// Runs `work` on a blocking thread, inside one read transaction.
    pub(super) async fn read<T, E, F>(&self, work: F) -> Result<T, ReadError<E>>
    where
        F: FnOnce(&Read<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: Send + 'static,
    {
        self.lend(|lent| lent.view(work)).await
    }

    async fn lend<T, E, F>(&self, work: F) -> Result<T, ReadError<E>>
    where
        F: FnOnce(Lent<'_>) -> Result<T, ReadError<E>> + Send + 'static,
        T: Send + 'static,
        E: Send + 'static,
    {
        let permit = Arc::clone(&self.free).acquire_owned().await.map_err(|_| ReadError::Panicked)?;
        let idle = Arc::clone(&self.idle);
        let task = tokio::task::spawn_blocking(move || {
            // Lives until the connection is back, also when `work` panics or its caller has gone.
            let _permit = permit;
            work(Lent::take(&idle).ok_or(ReadError::Panicked)?)
        });
        task.await.unwrap_or(Err(ReadError::Panicked))
    }
}

impl Readers {
    /// Saves a copy of the database to `target`, on a blocking thread; its size in bytes.
    pub(super) async fn back_up(&self, target: PathBuf) -> Result<u64, ReadError<BackupError>> {
        self.lend(move |lent| {
            let connection = lent.connection.as_ref().ok_or(ReadError::Panicked)?;
            // No transaction of ours is open: SQLite copies in one of its own.
            save_copy(connection, &target).map_err(ReadError::Refused)
        })
        .await
    }
}

/// A connection that goes back when it is dropped.
struct Lent<'p> {
    connection: Option<Connection>,
    idle: &'p Mutex<Vec<Connection>>,
}

impl<'p> Lent<'p> {
    fn take(idle: &'p Mutex<Vec<Connection>>) -> Option<Self> {
        let connection = idle.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
        Some(Self { connection: Some(connection), idle })
    }

    fn view<T, E>(mut self, work: impl FnOnce(&Read<'_>) -> Result<T, E>) -> Result<T, ReadError<E>> {
        let connection = self.connection.as_mut().ok_or(ReadError::Panicked)?;
        let transaction = connection.transaction().map_err(|error| ReadError::Storage(error.into()))?;
        work(&Read::new(&transaction)).map_err(ReadError::Refused)
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
    }
}
