//! A database in a folder of its own, with one table.

use std::{fs, path::PathBuf};

use tempfile::TempDir;

use crate::database::{Database, MIGRATIONS, Migration, OpenError, Read, StorageError, Write};

/// A schema with one table for the commands of these tests.
pub(super) const NOTES: &[Migration] = &[
    MIGRATIONS[0],
    Migration { name: "0002_notes", sql: "CREATE TABLE notes (text TEXT NOT NULL UNIQUE) STRICT;" },
];

/// A throw-away folder for one database.
pub(super) struct Place {
    pub(super) folder: TempDir,
}

impl Place {
    pub(super) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(super) fn file(&self) -> PathBuf {
        self.folder.path().join("callbox.db")
    }

    pub(super) fn open(&self, migrations: &[Migration]) -> Result<Database, OpenError> {
        Database::open_with(&self.file(), migrations)
    }

    pub(super) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

pub(super) fn note(write: &mut Write<'_>, text: &str) -> Result<i64, StorageError> {
    write.insert("INSERT INTO notes (text) VALUES (?1)", [text])
}

pub(super) fn notes(read: &Read<'_>) -> Result<Vec<String>, StorageError> {
    read.all("SELECT text FROM notes ORDER BY text", [], |row| row.get("text"))
}

pub(super) async fn stored(database: &Database) -> Vec<String> {
    database.read(notes).await.unwrap()
}
