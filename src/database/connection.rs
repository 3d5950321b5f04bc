//! Connections and what is set on each of them.

use std::{fs, path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags, config::DbConfig};

/// How long a statement waits for another process before it fails with
/// [`super::StorageKind::Busy`]. Only a store whose lock was taken from under it meets one.
const PATIENCE: Duration = Duration::from_secs(5);
/// Statements kept prepared per connection; more than the row functions there are.
const PREPARED: usize = 256;

/// A connection that may write. It does not touch a byte of the database file until it is asked to:
/// the checkpoint at its closing is off until [`accept`].
pub(super) fn open_writing(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    keep_untouched(&connection)?;
    harden(&connection)?;
    Ok(connection)
}

/// A connection that cannot write.
pub(super) fn open_reading(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    harden(&connection)?;
    Ok(connection)
}

/// Sets a writing connection to work on a database that was found to be callbox's own. The returned
/// text is the journal mode in force; anything but `wal` means that the file system has no shared
/// memory (a network file system).
pub(super) fn accept(connection: &Connection) -> rusqlite::Result<String> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    let mode = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    // FULL, since an answered tool call must outlive a power cut, not only a crash of the store.
    connection.pragma_update(None, "synchronous", "full")?;
    Ok(mode)
}

/// Prepares a connection to a database that is not to be used for its closing. Where no log waits to be
/// written into the file, SQLite may clear away the empty one that it made beside it.
pub(super) fn leave(connection: &Connection, path: &Path) {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if fs::metadata(log).is_ok_and(|log| log.len() == 0) {
        // What is left behind otherwise does no harm.
        let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false);
    }
}

/// Keeps the connection from checkpointing when it closes: for databases that belong to another
/// store or another version.
pub(super) fn keep_untouched(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(())
}

fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(PREPARED);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // A statement keeps its plan whatever is bound to it. Otherwise SQLite plans some anew for every
    // value (a limit of one row, the greatest of those that match), which takes longer than they do.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "foreign_keys", true)
}
