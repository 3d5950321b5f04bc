//! `events`: what happened, in order.

use super::column;
use crate::{
    database::{Read, Row, StorageError, Write},
    ids::{ExecutionNumber, TaskNumber, Timestamp},
};

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    /// Its place in the state directory, from 1.
    pub seq: i64,
    /// When it was recorded.
    pub at: Timestamp,
    /// The task.
    pub task: TaskNumber,
    /// The execution, where one is concerned.
    pub execution: Option<ExecutionNumber>,
    /// Such as `state` or `progress`.
    pub kind: String,
    /// A sentence, or an agent's words.
    pub text: String,
    /// Who decided, where a person did.
    pub actor: Option<String>,
}

/// An event that is about to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewEvent<'a> {
    /// The task.
    pub task: TaskNumber,
    /// The execution, where one is concerned.
    pub execution: Option<ExecutionNumber>,
    /// Such as `state` or `progress`.
    pub kind: &'static str,
    /// A sentence, or an agent's words.
    pub text: &'a str,
    /// Who decided, where a person did.
    pub actor: Option<&'a str>,
}

/// Stores an event.
pub fn insert(write: &mut Write<'_>, event: NewEvent<'_>, at: Timestamp) -> Result<(), StorageError> {
    write.run(
        "INSERT INTO events (at, task, execution, kind, text, actor) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        (
            at.millis(),
            event.task.value(),
            event.execution.map(ExecutionNumber::value),
            event.kind,
            event.text,
            event.actor,
        ),
    )?;
    Ok(())
}

/// At most `limit` events after the place `seq`, oldest first.
pub fn after(read: &Read<'_>, seq: i64, limit: u32) -> Result<Vec<EventRow>, StorageError> {
    read.all("SELECT * FROM events WHERE seq > ?1 ORDER BY seq LIMIT ?2", (seq, limit), map)
}

/// Whether one of `kind` says `text` since then.
pub fn is_told(read: &Read<'_>, kind: &str, text: &str, since: Timestamp) -> Result<bool, StorageError> {
    let sql = "SELECT 1 FROM events WHERE kind = ?1 AND text = ?2 AND at >= ?3 LIMIT 1";
    Ok(read.one(sql, (kind, text, since.millis()), |_| Ok(()))?.is_some())
}

/// The place of the last event; 0 before the first.
pub fn last_seq(read: &Read<'_>) -> Result<i64, StorageError> {
    let sql = "SELECT coalesce(max(seq), 0) AS n FROM events";
    Ok(read.one(sql, [], |row| row.get("n"))?.unwrap_or(0))
}

fn map(row: &Row<'_>) -> rusqlite::Result<EventRow> {
    Ok(EventRow {
        seq: row.get("seq")?,
        at: column::time(row, "at")?,
        task: column::task(row, "task")?,
        execution: column::execution_or_null(row, "execution")?,
        kind: row.get("kind")?,
        text: row.get("text")?,
        actor: row.get("actor")?,
    })
}
