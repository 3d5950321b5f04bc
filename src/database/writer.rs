//! The one writer: a thread that takes all waiting commands into one transaction.
//!
//! Each of several commands runs inside a savepoint of its own, so that one that is refused or panics
//! undoes only itself. Nobody is answered before the commit: what was answered is on the disk.

use std::{
    fs, io,
    os::unix::fs::MetadataExt as _,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
};

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::{Read, StorageError, Write, connection, log::Log, meta};

/// Commands that may wait; the next caller waits for a place.
const QUEUE: usize = 256;

/// A command that was not recorded.
#[derive(Debug, thiserror::Error)]
pub enum WriteError<E> {
    /// The command itself refused, and undid what it had done.
    #[error(transparent)]
    Refused(E),
    /// Another store has the database, or its file is gone; this one can write nothing more.
    #[error("this store's database was taken by another store, removed or replaced")]
    Fenced,
    /// The database could not be written.
    #[error("the change could not be recorded")]
    Storage(#[source] StorageError),
    /// The command panicked and was undone.
    #[error("a fault of callbox stopped the change")]
    Panicked,
    /// The database is closed.
    #[error("the store is stopping")]
    Stopped,
}

/// The sending side of the writer's queue and the thread behind it.
pub(super) struct Writer {
    queue: Mutex<Option<mpsc::Sender<Box<dyn Command>>>>,
    thread: Mutex<Option<thread::JoinHandle<()>>>,
    fenced: CancellationToken,
}

impl Writer {
    /// Starts the thread that writes the file at `path`. `generation` is this store's own.
    pub(super) fn start(mut connection: Connection, path: PathBuf, generation: i64) -> io::Result<Self> {
        let (queue, commands) = mpsc::channel(QUEUE);
        let fenced = CancellationToken::new();
        let file = identity(&path)?;
        let log = Log::of(&mut connection, path.clone(), generation).map_err(io::Error::other)?;
        let session = Session { connection, log, path, file, generation, fenced: fenced.clone() };
        let thread = thread::Builder::new()
            .name("callbox-writer".to_owned())
            .spawn(move || session.serve(commands))?;
        Ok(Self { queue: Mutex::new(Some(queue)), thread: Mutex::new(Some(thread)), fenced })
    }

    /// Ends when the writer has found another store's generation.
    pub(super) fn fenced(&self) -> &CancellationToken {
        &self.fenced
    }

    /// Queues `work` and waits until its transaction is committed. Once queued it is carried out even
    /// if the caller no longer waits.
    pub(super) async fn write<T, E, F>(&self, work: F) -> Result<T, WriteError<E>>
    where
        F: FnOnce(&mut Write<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: Send + 'static,
    {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let queue = queue.ok_or(WriteError::Stopped)?;
        let (reply, answer) = oneshot::channel();
        let command = Waiting { work: Some(work), outcome: None, reply };
        queue.send(Box::new(command)).await.map_err(|_| WriteError::Stopped)?;
        // Held while waiting, a sender would keep the thread from seeing the end of its queue.
        drop(queue);
        answer.await.map_err(|_| WriteError::Stopped)?
    }

    /// Takes no more commands, carries out those that wait, and returns when the file is closed.
    pub(super) fn stop(&self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A command may hold the last handle of its own database; the thread cannot wait for itself.
        if let Some(thread) = thread
            && thread.thread().id() != thread::current().id()
            && thread.join().is_err()
        {
            tracing::error!("the database's writer thread panicked");
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// What the thread owns.
struct Session {
    connection: Connection,
    log: Log,
    path: PathBuf,
    /// Which file that was when it was opened.
    file: (u64, u64),
    generation: i64,
    fenced: CancellationToken,
}

impl Session {
    fn serve(mut self, mut commands: mpsc::Receiver<Box<dyn Command>>) {
        while let Some(first) = commands.blocking_recv() {
            let mut batch = vec![first];
            while batch.len() < QUEUE
                && let Ok(next) = commands.try_recv()
            {
                batch.push(next);
            }
            let fate = self.carry_out(&mut batch);
            for command in batch {
                command.answer(&fate);
            }
            if fate.is_ok() && self.in_place().is_ok() {
                self.log.tend(&self.connection);
            }
        }
        let closed = if self.fenced.is_cancelled() {
            connection::keep_untouched(&self.connection)
        } else {
            self.connection.execute_batch("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE)")
        };
        if let Err(error) = closed {
            tracing::warn!(error = &error as &dyn std::error::Error, "the database was not checkpointed");
        }
    }

    /// One transaction. Every error means that nothing of it was recorded.
    fn carry_out(&self, batch: &mut [Box<dyn Command>]) -> Result<(), Lost> {
        if self.fenced.is_cancelled() {
            return Err(Lost::Fenced);
        }
        self.sql("BEGIN IMMEDIATE")?;
        let outcome = self.fill(batch).and_then(|()| self.in_place()).and_then(|()| self.sql("COMMIT"));
        if outcome.is_err() && !self.connection.is_autocommit() {
            // Fails only where SQLite has ended the transaction by itself.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        outcome
    }

    fn fill(&self, batch: &mut [Box<dyn Command>]) -> Result<(), Lost> {
        if meta::generation(&Read::new(&self.connection))? != self.generation {
            self.fenced.cancel();
            return Err(Lost::Fenced);
        }
        if let [alone] = batch {
            return self.alone(alone.as_mut());
        }
        for command in batch {
            self.sql("SAVEPOINT command")?;
            let verdict = command.run(&mut Write::new(&self.connection));
            // After some failures of the disk SQLite ends the whole transaction by itself, and with it
            // the changes of the commands before.
            if self.connection.is_autocommit() {
                return Err(StorageError::undone().into());
            }
            if verdict == Verdict::Undo {
                self.sql("ROLLBACK TO command")?;
            }
            self.sql("RELEASE command")?;
        }
        Ok(())
    }

    /// With nobody else's changes beside its own, a command is undone with the whole transaction.
    fn alone(&self, command: &mut dyn Command) -> Result<(), Lost> {
        let verdict = command.run(&mut Write::new(&self.connection));
        if self.connection.is_autocommit() {
            return Err(StorageError::undone().into());
        }
        if verdict == Verdict::Undo {
            self.sql("ROLLBACK")?;
            // For the commit that follows, of nothing.
            self.sql("BEGIN IMMEDIATE")?;
        }
        Ok(())
    }

    /// What is committed to a file that was removed is gone when this process ends.
    fn in_place(&self) -> Result<(), Lost> {
        if identity(&self.path).ok() == Some(self.file) {
            return Ok(());
        }
        self.fenced.cancel();
        Err(Lost::Fenced)
    }

    fn sql(&self, statement: &str) -> Result<(), Lost> {
        let mut statement = self.connection.prepare_cached(statement).map_err(StorageError::from)?;
        statement.execute([]).map_err(StorageError::from)?;
        Ok(())
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let found = fs::metadata(path)?;
    Ok((found.dev(), found.ino()))
}

/// Why a transaction was not committed.
#[derive(Debug, Clone)]
enum Lost {
    Fenced,
    Storage(StorageError),
}

impl From<StorageError> for Lost {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

/// What becomes of one command's changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Keep,
    Undo,
}

/// A command whatever its types.
trait Command: Send {
    /// Does the work inside its savepoint and keeps what came of it.
    fn run(&mut self, write: &mut Write<'_>) -> Verdict;
    /// Tells the caller, once the fate of the transaction is known.
    fn answer(self: Box<Self>, fate: &Result<(), Lost>);
}

/// A command and the caller who waits for it.
struct Waiting<F, T, E> {
    /// Taken when it runs.
    work: Option<F>,
    /// Absent when it did not run or panicked.
    outcome: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, WriteError<E>>>,
}

impl<F, T, E> Command for Waiting<F, T, E>
where
    F: FnOnce(&mut Write<'_>) -> Result<T, E> + Send,
    T: Send,
    E: Send,
{
    fn run(&mut self, write: &mut Write<'_>) -> Verdict {
        // What the closure captured is dropped by the unwinding, and what it wrote is rolled back, so
        // nothing half-made is seen afterwards.
        let work = self.work.take();
        self.outcome = catch_unwind(AssertUnwindSafe(|| work.map(|work| work(write)))).unwrap_or(None);
        match self.outcome {
            Some(Ok(_)) => Verdict::Keep,
            Some(Err(_)) | None => Verdict::Undo,
        }
    }

    fn answer(self: Box<Self>, fate: &Result<(), Lost>) {
        let answer = match (self.outcome, fate) {
            (Some(Err(refusal)), _) => Err(WriteError::Refused(refusal)),
            (_, Err(Lost::Fenced)) => Err(WriteError::Fenced),
            (_, Err(Lost::Storage(error))) => Err(WriteError::Storage(error.clone())),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (None, Ok(())) => Err(WriteError::Panicked),
        };
        // The caller may have gone; the change stands all the same.
        let _ = self.reply.send(answer);
    }
}
