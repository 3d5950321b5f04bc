//! `messages`: what is still to be said to an agent, and what was said.

use serde::{Deserialize, Serialize};

use super::column;
use crate::{
    database::{Read, Row, StorageError, Write},
    domain::Unsaid,
    ids::{ExecutionNumber, QuestionNumber, TaskNumber, Timestamp},
};

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageRow {
    /// Counts all messages.
    pub number: i64,
    /// Whose agent it is for.
    pub task: TaskNumber,
    /// What is to be said.
    pub unsaid: Unsaid,
    /// The question it answers.
    pub question: Option<QuestionNumber>,
    /// The subtask whose end it tells of.
    pub subtask: Option<TaskNumber>,
    /// The execution whose opening message holds it.
    pub carried_by: Option<ExecutionNumber>,
    /// The execution one of whose tool results held it, the last one that did.
    pub handed_by: Option<ExecutionNumber>,
    /// The place of that result's call in it.
    pub handed_call: Option<u32>,
    /// The person's peer that gave it.
    pub actor: Option<String>,
    /// When it came.
    pub created_at: Timestamp,
    /// When an agent event proved that it was taken.
    pub taken_at: Option<Timestamp>,
}

impl MessageRow {
    /// As it is to be said in an opening message.
    pub fn to_say(self) -> Unsaid {
        match (self.unsaid, self.handed_by) {
            (Unsaid::Words(words), Some(_)) => Unsaid::WordsAgain(words),
            (unsaid, _) => unsaid,
        }
    }

    /// A person's words to the agent, of whatever kind.
    pub fn words(&self) -> Option<&str> {
        match &self.unsaid {
            Unsaid::Words(words) | Unsaid::WordsAgain(words) | Unsaid::Rejection(words) => Some(words),
            Unsaid::Answer(_)
            | Unsaid::Report { .. }
            | Unsaid::Verification { .. }
            | Unsaid::Conflict(_)
            | Unsaid::Reminder => None,
        }
    }
}

/// Where a message comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin<'a> {
    /// The answer to a question; a later one replaces it.
    Answer(QuestionNumber),
    /// The end of a subtask.
    Subtask(TaskNumber),
    /// A person's words, and the peer that gave them.
    Person(Option<&'a str>),
    /// Callbox itself.
    Callbox,
}

/// Stores a message for `task`. An answer to the same question is replaced.
pub fn insert(
    write: &mut Write<'_>,
    task: TaskNumber,
    origin: Origin<'_>,
    unsaid: &Unsaid,
    at: Timestamp,
) -> Result<(), StorageError> {
    let (question, subtask, actor) = match origin {
        Origin::Answer(question) => (Some(question.value()), None, None),
        Origin::Subtask(subtask) => (None, Some(subtask.value()), None),
        Origin::Person(actor) => (None, None, actor),
        Origin::Callbox => (None, None, None),
    };
    write.run(
        "INSERT INTO messages (task, kind, body, question, subtask, actor, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (question) DO UPDATE SET body = excluded.body",
        (task.value(), kind(unsaid), column::text_of(unsaid), question, subtask, actor, at.millis()),
    )?;
    Ok(())
}

/// What has not been said to the agent of `task`, oldest first.
pub fn unsaid(read: &Read<'_>, task: TaskNumber) -> Result<Vec<MessageRow>, StorageError> {
    let sql = "SELECT * FROM messages WHERE task = ?1 AND taken_at IS NULL ORDER BY number";
    read.all(sql, [task.value()], map)
}

/// Everything that is or was to be said to the agent of `task`, oldest first.
pub fn of_task(read: &Read<'_>, task: TaskNumber) -> Result<Vec<MessageRow>, StorageError> {
    read.all("SELECT * FROM messages WHERE task = ?1 ORDER BY number", [task.value()], map)
}

/// What a person said to the agent of `task` beside answers, oldest first, taken or not.
pub fn of_person(read: &Read<'_>, task: TaskNumber) -> Result<Vec<MessageRow>, StorageError> {
    let sql = "SELECT * FROM messages WHERE task = ?1 AND kind IN ('words', 'rejection') ORDER BY number";
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

/// Notes that the result of the call `seq` of `execution` holds the message `number`.
pub fn hand(
    write: &mut Write<'_>,
    number: i64,
    execution: ExecutionNumber,
    seq: u32,
) -> Result<(), StorageError> {
    write.run(
        "UPDATE messages SET handed_by = ?2, handed_call = ?3 WHERE number = ?1",
        (number, execution.value(), seq),
    )?;
    Ok(())
}

/// An agent event has proven that the opening message of `execution` was taken.
pub fn take(write: &mut Write<'_>, execution: ExecutionNumber, at: Timestamp) -> Result<(), StorageError> {
    write.run(
        "UPDATE messages SET taken_at = ?2 WHERE carried_by = ?1 AND taken_at IS NULL",
        (execution.value(), at.millis()),
    )?;
    Ok(())
}

/// An agent event has proven that the results of these `calls` of `execution` were taken.
pub fn take_handed(
    write: &mut Write<'_>,
    execution: ExecutionNumber,
    calls: std::ops::RangeInclusive<u32>,
    at: Timestamp,
) -> Result<(), StorageError> {
    write.run(
        "UPDATE messages SET taken_at = ?4
         WHERE handed_by = ?1 AND handed_call BETWEEN ?2 AND ?3 AND taken_at IS NULL",
        (execution.value(), *calls.start(), *calls.end(), at.millis()),
    )?;
    Ok(())
}

pub(super) fn kind(unsaid: &Unsaid) -> &'static str {
    match unsaid {
        Unsaid::Answer(_) => "answer",
        Unsaid::Report { .. } => "report",
        Unsaid::Words(_) | Unsaid::WordsAgain(_) => "words",
        Unsaid::Rejection(_) => "rejection",
        Unsaid::Reminder => "reminder",
        Unsaid::Verification { .. } => "verification",
        Unsaid::Conflict(_) => "conflict",
    }
}

fn map(row: &Row<'_>) -> rusqlite::Result<MessageRow> {
    Ok(MessageRow {
        number: row.get("number")?,
        task: column::task(row, "task")?,
        unsaid: column::json(row, "body")?,
        subtask: column::task_or_null(row, "subtask")?,
        question: row.get::<Option<i64>>("question")?.map(QuestionNumber::new),
        carried_by: column::execution_or_null(row, "carried_by")?,
        handed_by: column::execution_or_null(row, "handed_by")?,
        handed_call: row.get("handed_call")?,
        actor: row.get("actor")?,
        created_at: column::time(row, "created_at")?,
        taken_at: column::time_or_null(row, "taken_at")?,
    })
}
