//! How far the events were told to the person's own command. It stands in `meta`.

use crate::database::{Read, StorageError, Write};

/// The place of the newest event that was looked at for that; `None` where no command is configured.
pub fn get(read: &Read<'_>) -> Result<Option<i64>, StorageError> {
    read.one("SELECT value FROM meta WHERE key = 'notified'", [], |row| row.get("value"))
}

/// From now on everything behind the newest event there is, unless that was so before.
pub fn begin(write: &mut Write<'_>) -> Result<(), StorageError> {
    write.run(
        "INSERT INTO meta (key, value) SELECT 'notified', coalesce(max(seq), 0) FROM events WHERE true
         ON CONFLICT (key) DO NOTHING",
        [],
    )?;
    Ok(())
}

/// Nothing any more.
pub fn forget(write: &mut Write<'_>) -> Result<(), StorageError> {
    write.run("DELETE FROM meta WHERE key = 'notified'", [])?;
    Ok(())
}

/// Goes on to the place `seq`; whether nobody was there or beyond it before.
pub fn advance(write: &mut Write<'_>, seq: i64) -> Result<bool, StorageError> {
    Ok(write.run("UPDATE meta SET value = ?1 WHERE key = 'notified' AND value < ?1", [seq])? == 1)
}
