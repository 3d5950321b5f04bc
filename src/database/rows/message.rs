//! `messages`: what is still to be said to an agent.

use rusqlite::Row;

use super::column;
use crate::{
    database::{Read, StorageError, Write},
    domain::Unsaid,
    ids::{ExecutionNumber, QuestionNumber, TaskNumber, Timestamp},
};

/// One message that no agent event has proven taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow {
    /// What is to be said.
    pub unsaid: Unsaid,
    /// The question it answers.
    pub question: Option<QuestionNumber>,
    /// The execution whose message holds it.
    pub carried_by: Option<ExecutionNumber>,
}

/// Where a message comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The answer to a question; a later one replaces it.
    Answer(QuestionNumber),
    /// The end of a subtask.
    Subtask(TaskNumber),
    /// A person's words.
    Person,
    /// Callbox itself.
    Callbox,
}

/// Stores a message for `task`. An answer to the same question is replaced.
pub fn insert(
    write: &mut Write<'_>,
    task: TaskNumber,
    origin: Origin,
    unsaid: &Unsaid,
    at: Timestamp,
) -> Result<(), StorageError> {
    let (question, subtask) = match origin {
        Origin::Answer(question) => (Some(question.value()), None),
        Origin::Subtask(subtask) => (None, Some(subtask.value())),
        Origin::Person | Origin::Callbox => (None, None),
    };
    write.run(
        "INSERT INTO messages (task, kind, body, question, subtask, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (question) DO UPDATE SET body = excluded.body",
        (task.value(), kind(unsaid), column::text_of(unsaid), question, subtask, at.millis()),
    )?;
    Ok(())
}

/// What has not been said to the agent of `task`, oldest first.
pub fn unsaid(read: &Read<'_>, task: TaskNumber) -> Result<Vec<MessageRow>, StorageError> {
    let sql = "SELECT * FROM messages WHERE task = ?1 AND taken_at IS NULL ORDER BY number";
    read.all(sql, [task.value()], map)
}

/// The answer to `question` that has not been said or that `execution` holds.
pub fn of_question(read: &Read<'_>, question: QuestionNumber) -> Result<Option<MessageRow>, StorageError> {
    let sql = "SELECT * FROM messages WHERE question = ?1 AND taken_at IS NULL";
    read.one(sql, [question.value()], map)
}

/// Whether the message of `execution` held a reminder.
pub fn held_reminder(read: &Read<'_>, execution: ExecutionNumber) -> Result<bool, StorageError> {
    let sql = "SELECT * FROM messages WHERE carried_by = ?1 AND kind = 'reminder'";
    Ok(read.one(sql, [execution.value()], map)?.is_some())
}

/// From now on the message of `execution` holds all that is unsaid to `task`.
pub fn carry(
    write: &mut Write<'_>,
    task: TaskNumber,
    execution: ExecutionNumber,
) -> Result<(), StorageError> {
    write.run(
        "UPDATE messages SET carried_by = ?2 WHERE task = ?1 AND taken_at IS NULL",
        (task.value(), execution.value()),
    )?;
    Ok(())
}

/// An agent event has proven that the message of `execution` was taken.
pub fn take(write: &mut Write<'_>, execution: ExecutionNumber, at: Timestamp) -> Result<(), StorageError> {
    write.run(
        "UPDATE messages SET taken_at = ?2 WHERE carried_by = ?1 AND taken_at IS NULL",
        (execution.value(), at.millis()),
    )?;
    Ok(())
}

fn kind(unsaid: &Unsaid) -> &'static str {
    match unsaid {
        Unsaid::Answer(_) => "answer",
        Unsaid::Report { .. } => "report",
        Unsaid::Words(_) => "words",
        Unsaid::Rejection(_) => "rejection",
        Unsaid::Reminder => "reminder",
        Unsaid::Verification { .. } => "verification",
    }
}

fn map(row: &Row<'_>) -> rusqlite::Result<MessageRow> {
    Ok(MessageRow {
        unsaid: column::json(row, "body")?,
        question: row.get::<_, Option<i64>>("question")?.map(QuestionNumber::new),
        carried_by: column::execution_or_null(row, "carried_by")?,
    })
}
