//! Opening the database file: found to be ours, brought up to date, and made this store's own.
//!
//! Nothing is written before the file is known to be a database of callbox's own, of a version this
//! callbox knows.

use std::{
    fs::{self, OpenOptions},
    io,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use super::{
    Migration, OpenError, StorageError, StorageKind, Write,
    backup::back_up,
    connection, meta,
    migrate::{MigrateError, migrate},
};

/// Stands in the file's header, for `file` and for us: "cbox".
const APPLICATION_ID: i64 = 0x6362_6f78;
/// SQLite's Unix layer takes paths of 512 bytes, and 8 of them for `-journal` (os_unix.c,
/// `MAX_PATHNAME`); the longest name that callbox puts beside the file is longer by these.
const LONGEST_PATH: usize = 512 - 8 - ".before-1000.partial".len();
/// Up to this size a file is checked page by page when it is opened: some tens of milliseconds.
const CHECKED_BYTES: u64 = 32 << 20;

/// A database that this store may write to.
pub(super) struct Opened {
    /// The connection for the writer.
    pub(super) connection: Connection,
    /// The file, with the links of its folder resolved.
    pub(super) path: PathBuf,
    /// This store's own generation.
    pub(super) generation: i64,
}

/// Opens or makes the file at `path` and raises its generation by one.
pub(super) fn open(path: &Path, migrations: &[Migration]) -> Result<Opened, OpenError> {
    let path = place(path)?;
    let mut connection = connection::open_writing(&path).map_err(|error| sorted(&path, error))?;
    let recognised = recognise(&connection, &path, migrations.len()).and_then(|version| {
        let is_readonly = connection.is_readonly("main").map_err(|error| sorted(&path, error))?;
        if is_readonly { Err(OpenError::ReadOnly { path: path.clone() }) } else { Ok(version) }
    });
    let version = match recognised {
        Ok(version) => version,
        Err(error) => {
            connection::leave(&connection, &path);
            return Err(error);
        }
    };
    let mode = connection::accept(&connection).map_err(|error| sorted(&path, error))?;
    if mode != "wal" {
        return Err(OpenError::NoWriteAheadLog { path, mode });
    }
    if version == 0 {
        let claimed = connection.pragma_update(None, "application_id", APPLICATION_ID);
        claimed.map_err(|error| sorted(&path, error))?;
    } else if version < migrations.len() {
        let copied = back_up(&connection, &path, migrations.len());
        copied.map_err(|error| OpenError::Backup { path: path.clone(), source: error.into() })?;
    }
    migrate(&mut connection, version, migrations).map_err(|error| {
        let MigrateError { version, name, source } = error;
        OpenError::Migration { path: path.clone(), version, name, source }
    })?;
    let claimed = claim(&mut connection);
    let generation = claimed.map_err(|source| OpenError::Storage { path: path.clone(), source })?;
    Ok(Opened { connection, path, generation })
}

/// Makes the file where there is none, with mode 0600 whatever the umask: SQLite gives `-wal` and
/// `-shm` the mode of the file. An existing file is never opened here, since closing any descriptor
/// of it drops the locks that this process holds on it.
fn place(path: &Path) -> Result<PathBuf, OpenError> {
    let refused = |source: io::Error| match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            OpenError::ReadOnly { path: path.to_owned() }
        }
        _ => OpenError::File { path: path.to_owned(), source },
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().map_err(refused)?;
    let path = folder.join(path.file_name().unwrap_or_default());
    if path.as_os_str().len() > LONGEST_PATH {
        return Err(OpenError::PathTooLong { path, limit: LONGEST_PATH });
    }
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
        Ok(_) => return Ok(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(refused(error)),
    }
    let found = fs::symlink_metadata(&path).map_err(refused)?;
    if !found.is_file() {
        return Err(OpenError::NotFile { path });
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).map_err(refused)?;
    }
    Ok(path)
}

/// The schema version of a database that is callbox's own and whole; 0 for a new one.
pub(super) fn recognise(connection: &Connection, path: &Path, known: usize) -> Result<usize, OpenError> {
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let found = number("user_version").map_err(|error| sorted(path, error))?;
    let application = number("application_id").map_err(|error| sorted(path, error))?;
    let objects: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(|error| sorted(path, error))?;
    match (application, found) {
        (APPLICATION_ID, _) => {}
        (0, 0) if objects == 0 => {}
        _ => return Err(OpenError::Foreign { path: path.to_owned() }),
    }
    let version = match usize::try_from(found) {
        Ok(version) if version <= known => version,
        _ => return Err(OpenError::Newer { path: path.to_owned(), found, known }),
    };
    if fs::metadata(path).is_ok_and(|file| file.len() <= CHECKED_BYTES) {
        let verdict = connection
            .query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))
            .map_err(|error| sorted(path, error))?;
        if verdict != "ok" {
            return Err(OpenError::Damaged { path: path.to_owned(), detail: verdict });
        }
    }
    Ok(version)
}

/// Raises the generation, which takes the database from whichever store had it before.
fn claim(connection: &mut Connection) -> Result<i64, StorageError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let generation = meta::claim(&mut Write::new(&transaction))?;
    transaction.commit()?;
    Ok(generation)
}

/// The reason behind an error of SQLite's while the file was being opened.
pub(super) fn sorted(path: &Path, error: rusqlite::Error) -> OpenError {
    let path = path.to_owned();
    let code = error.sqlite_error_code();
    let source = StorageError::from(error);
    match (code, source.kind()) {
        (Some(ErrorCode::NotADatabase), _) => OpenError::NotDatabase { path },
        (_, StorageKind::Damaged) => {
            let detail = std::error::Error::source(&source).map_or_else(String::new, ToString::to_string);
            OpenError::Damaged { path, detail }
        }
        (_, StorageKind::Exhausted) => OpenError::Storage { path, source },
        // `CannotOpen`: SQLite could not make `-wal` or `-shm` beside a file that is there.
        (_, StorageKind::ReadOnly) | (Some(ErrorCode::CannotOpen), _) => OpenError::ReadOnly { path },
        _ => OpenError::Storage { path, source },
    }
}
