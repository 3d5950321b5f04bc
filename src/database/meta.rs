//! What the database knows of itself.

use super::{Read, StorageError, Write};

/// The generation of the store that has the database; 0 before the first.
pub(super) fn generation(read: &Read<'_>) -> Result<i64, StorageError> {
    let stored = read.one("SELECT value FROM meta WHERE key = 'generation'", [], |row| row.get("value"))?;
    Ok(stored.unwrap_or(0))
}

/// Takes the database for a new generation, and notes which callbox did.
pub(super) fn claim(write: &mut Write<'_>) -> Result<i64, StorageError> {
    let generation = generation(write)? + 1;
    let put = "INSERT INTO meta (key, value) VALUES (?1, ?2)
               ON CONFLICT (key) DO UPDATE SET value = excluded.value";
    write.run(put, ("generation", generation))?;
    write.run(put, ("version", env!("CARGO_PKG_VERSION")))?;
    Ok(generation)
}

/// The boot of the machine under which a store last put everything in order; `None` before the first.
pub fn boot(read: &Read<'_>) -> Result<Option<String>, StorageError> {
    read.one("SELECT value FROM meta WHERE key = 'boot'", [], |row| row.get("value"))
}

/// Notes that everything is in order under this boot.
pub fn note_boot(write: &mut Write<'_>, boot: &str) -> Result<(), StorageError> {
    let put = "INSERT INTO meta (key, value) VALUES ('boot', ?1)
               ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value <> excluded.value";
    write.run(put, [boot])?;
    Ok(())
}
