//! The write-ahead log's file: laid out once, and written over from then on.
//!
//! A commit that makes the file longer waits for the file system's own journal too, which takes as long
//! again as the log itself (ext4). So the file is made as long as it is to become before it is needed, and
//! what stands in it is copied into the database before it would grow; both behind a transaction, when
//! those who waited for it are answered.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicI32, Ordering},
    },
};

use rusqlite::{Connection, MAIN_DB, wal::CheckpointMode};

use super::connection;

/// Pages in the log from which on they are copied into the database.
const FULL: i32 = 512;
/// Pages that the file is laid out for: one transaction more than may stand in it.
const LAID_OUT: i32 = FULL + 128;

/// The log of the writer's connection.
pub(super) struct Log {
    path: PathBuf,
    generation: i64,
    /// Pages in it behind the last transaction.
    pages: Arc<AtomicI32>,
    laid_out: bool,
}

impl Log {
    /// Takes the log of the database at `path` over from SQLite, which would copy it inside a transaction
    /// while the callers wait. `generation` is this store's own.
    pub(super) fn of(connection: &mut Connection, path: PathBuf, generation: i64) -> rusqlite::Result<Self> {
        let pages = Arc::new(AtomicI32::new(0));
        let counted = Arc::clone(&pages);
        connection.wal_hook(Some(move |_: &mut _, now| {
            counted.store(now, Ordering::Relaxed);
            Ok(())
        }))?;
        Ok(Self { path, generation, pages, laid_out: false })
    }

    /// Does what the log needs, if anything. To be called when nobody waits for the writer's last
    /// transaction. Failing, it costs time and no data: the log only grows.
    pub(super) fn tend(&mut self, connection: &Connection) {
        let laid_out = if self.laid_out { Ok(()) } else { self.lay_out() };
        let full = self.pages.load(Ordering::Relaxed) >= FULL || !self.laid_out;
        // Whatever came of it: tried again and again it would only cost more.
        self.laid_out = true;
        let copied = laid_out.and_then(|()| if full { copy(connection) } else { Ok(()) });
        if let Err(error) = copied {
            tracing::warn!(error = &error as &dyn std::error::Error, "the database's log was not tended");
        }
    }

    /// Writes one page over and over, without waiting for the disk. On a connection of its own, so that the
    /// writer's is never one that does not wait. What stands in the row is of no use but that it changes:
    /// SQLite writes no page that stays the same. Nothing is written once another store has the database.
    fn lay_out(&self) -> rusqlite::Result<()> {
        let connection = connection::open_writing(&self.path)?;
        connection.pragma_update(None, "synchronous", "off")?;
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
        let mut page = connection.prepare(
            "REPLACE INTO meta (key, value)
             SELECT 'log', ?1 FROM meta WHERE key = 'generation' AND value = ?2",
        )?;
        for number in 0..LAID_OUT {
            page.execute((number, self.generation))?;
        }
        Ok(())
    }
}

/// Copies the log into the database as far as no reader needs it as it is. The next transaction then begins
/// at its start.
fn copy(connection: &Connection) -> rusqlite::Result<()> {
    connection.wal_checkpoint_v2(Some(MAIN_DB), CheckpointMode::PASSIVE).map(drop)
}
