//! Whether a file that was copied from a database is whole, without a byte of it being changed.

use std::{fs, path::Path};

use super::{connection, open::recognise};
use crate::database::{MIGRATIONS, OpenError};

/// Why the copy at `path` cannot be a database again; every page of it is read, whatever its size.
///
/// Blocks.
pub fn check_copy(path: &Path) -> Result<(), OpenError> {
    let refused = |source| OpenError::File { path: path.to_owned(), source };
    if !fs::symlink_metadata(path).map_err(refused)?.is_file() {
        return Err(OpenError::NotFile { path: path.to_owned() });
    }
    let sorted = |error| super::open::sorted(path, error);
    let connection = connection::open_reading(path).map_err(sorted)?;
    let version = recognise(&connection, path, MIGRATIONS.len())?;
    if version == 0 {
        return Err(OpenError::NotDatabase { path: path.to_owned() });
    }
    let verdict = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    match verdict.map_err(sorted)? {
        verdict if verdict == "ok" => Ok(()),
        detail => Err(OpenError::Damaged { path: path.to_owned(), detail }),
    }
}
