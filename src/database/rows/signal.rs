//! `signals`: the buffer of what agents said.

use serde::{Deserialize, Serialize};

use super::column;
use crate::{
    database::{Read, Row, StorageError, Write},
    ids::{ExecutionNumber, TaskNumber, Timestamp},
    vocabulary::Call,
};

/// One signal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignalRow {
    /// In which execution.
    pub execution: ExecutionNumber,
    /// Its place there, from 1.
    pub seq: u32,
    /// Under which it was recorded once.
    pub key: String,
    /// What was said.
    pub call: Call,
    /// What the agent was told.
    pub reply: String,
    /// When it was recorded.
    pub at: Timestamp,
}

/// Stores a signal.
pub fn insert(write: &mut Write<'_>, signal: &SignalRow) -> Result<(), StorageError> {
    write.run(
        "INSERT INTO signals (execution, seq, key, tool, body, reply, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        (
            signal.execution.value(),
            signal.seq,
            &signal.key,
            signal.call.tool(),
            column::text_of(&signal.call),
            &signal.reply,
            signal.at.millis(),
        ),
    )?;
    Ok(())
}

/// The signal of `execution` that was recorded under `key`.
pub fn by_key(
    read: &Read<'_>,
    execution: ExecutionNumber,
    key: &str,
) -> Result<Option<SignalRow>, StorageError> {
    let sql = "SELECT * FROM signals WHERE execution = ?1 AND key = ?2";
    read.one(sql, (execution.value(), key), map)
}

/// The signals of `execution`, oldest first.
pub fn of_execution(read: &Read<'_>, execution: ExecutionNumber) -> Result<Vec<SignalRow>, StorageError> {
    read.all("SELECT * FROM signals WHERE execution = ?1 ORDER BY seq", [execution.value()], map)
}

/// The signals of every execution of `task`, oldest first.
pub fn of_task(read: &Read<'_>, task: TaskNumber) -> Result<Vec<SignalRow>, StorageError> {
    read.all(
        "SELECT signals.* FROM signals JOIN executions ON executions.number = execution
         WHERE task = ?1 ORDER BY execution, seq",
        [task.value()],
        map,
    )
}

/// How many signals `execution` has.
pub fn count(read: &Read<'_>, execution: ExecutionNumber) -> Result<u32, StorageError> {
    let sql = "SELECT coalesce(max(seq), 0) AS n FROM signals WHERE execution = ?1";
    Ok(read.one(sql, [execution.value()], |row| row.get("n"))?.unwrap_or(0))
}

fn map(row: &Row<'_>) -> rusqlite::Result<SignalRow> {
    Ok(SignalRow {
        execution: column::execution(row, "execution")?,
        seq: column::count(row, "seq")?,
        key: row.get("key")?,
        call: column::json(row, "body")?,
        reply: row.get("reply")?,
        at: column::time(row, "at")?,
    })
}
