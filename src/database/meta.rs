//! What the database knows of itself.

use super::{Read, StorageError, Write};

/// The generation of the store that has the database; 0 before the first.
pub(super) fn generation(read: &Read<'_>) -> Result<i64, StorageError> {
    let stored = read.one("SELECT value FROM meta WHERE key = 'generation'", [], |row| row.get(0))?;
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
