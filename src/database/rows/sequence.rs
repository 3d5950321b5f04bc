//! The numbers that were given last, as SQLite keeps them in `sqlite_sequence` for `AUTOINCREMENT`.

use crate::database::{Read, StorageError, Write};

/// The tables whose numbers stand outside of the database as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbered {
    /// Tasks.
    Tasks,
    /// Executions.
    Executions,
    /// Questions: these stand on no disk, but in what a person was told.
    Questions,
}

impl Numbered {
    fn table(self) -> &'static str {
        match self {
            Self::Tasks => "tasks",
            Self::Executions => "executions",
            Self::Questions => "questions",
        }
    }
}

/// The number that was given last; 0 before the first.
pub fn last(read: &Read<'_>, of: Numbered) -> Result<u64, StorageError> {
    let sql = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
    let last = read.one(sql, [of.table()], |row| row.get::<i64>("seq"))?;
    Ok(last.unwrap_or(0).unsigned_abs())
}

/// Counts everything up to `number` as given.
pub fn raise(write: &mut Write<'_>, of: Numbered, number: u64) -> Result<(), StorageError> {
    let (table, number) = (of.table(), number.cast_signed());
    let raised =
        write.run("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", (table, number))?;
    // The row comes with the first insertion.
    if raised == 0 {
        write.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", (table, number))?;
    }
    Ok(())
}
