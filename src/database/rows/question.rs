//! `questions`: what agents asked and what they were answered.

use serde::{Deserialize, Serialize};

use super::column;
use crate::{
    database::{Read, Row, StorageError, Write},
    ids::{ExecutionNumber, QuestionNumber, TaskNumber, Timestamp},
    vocabulary::AskUser,
};

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionRow {
    /// `q7`.
    pub number: QuestionNumber,
    /// Whose it is.
    pub task: TaskNumber,
    /// The execution in which it was asked.
    pub execution: ExecutionNumber,
    /// Counts the questions of the task, from 1.
    pub ordinal: u32,
    /// What was asked.
    pub asked: AskUser,
    /// How it stands.
    pub state: QuestionState,
    /// The answer.
    pub answer: Option<String>,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When it was answered last.
    pub answered_at: Option<Timestamp>,
}

/// How a question stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionState {
    /// Nobody has answered.
    Open,
    /// It is answered.
    Answered,
    /// Nobody waits for an answer any more.
    Withdrawn,
}

impl QuestionState {
    /// The name that JSON and the database use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Answered => "answered",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// Stores an open question and returns its number.
pub fn insert(
    write: &mut Write<'_>,
    task: TaskNumber,
    execution: ExecutionNumber,
    asked: &AskUser,
    at: Timestamp,
) -> Result<QuestionNumber, StorageError> {
    let number = write.insert(
        "INSERT INTO questions (task, execution, ordinal, question, options, context, state, asked_at)
         VALUES (?1, ?2, (SELECT count(*) + 1 FROM questions WHERE task = ?1), ?3, ?4, ?5, 'open', ?6)",
        (
            task.value(),
            execution.value(),
            &asked.question,
            column::text_of(&asked.options),
            &asked.context,
            at.millis(),
        ),
    )?;
    Ok(QuestionNumber::new(number))
}

/// The question `number`.
pub fn get(read: &Read<'_>, number: QuestionNumber) -> Result<Option<QuestionRow>, StorageError> {
    read.one("SELECT * FROM questions WHERE number = ?1", [number.value()], map)
}

/// The questions of `task`, oldest first.
pub fn of_task(read: &Read<'_>, task: TaskNumber) -> Result<Vec<QuestionRow>, StorageError> {
    read.all("SELECT * FROM questions WHERE task = ?1 ORDER BY number", [task.value()], map)
}

/// The questions of the whole tree under `root`, oldest first.
pub fn of_tree(read: &Read<'_>, root: TaskNumber) -> Result<Vec<QuestionRow>, StorageError> {
    read.all(
        "SELECT questions.* FROM questions JOIN tasks ON tasks.number = task
         WHERE task = ?1 OR tasks.root = ?1 ORDER BY questions.number",
        [root.value()],
        map,
    )
}

/// Every question, oldest first.
pub fn all(read: &Read<'_>, limit: Option<u32>) -> Result<Vec<QuestionRow>, StorageError> {
    read.all("SELECT * FROM questions ORDER BY number LIMIT ?1", [bound(limit)], map)
}

/// Every question without an answer, oldest first, at most so many.
pub fn open(read: &Read<'_>, limit: Option<u32>) -> Result<Vec<QuestionRow>, StorageError> {
    let sql = "SELECT * FROM questions WHERE state = 'open' ORDER BY number LIMIT ?1";
    read.all(sql, [bound(limit)], map)
}

/// How many have no answer.
pub fn open_count(read: &Read<'_>) -> Result<u32, StorageError> {
    let sql = "SELECT count(*) AS n FROM questions WHERE state = 'open'";
    Ok(read.one(sql, [], |row| row.get("n"))?.unwrap_or(0))
}

/// To SQLite, a negative bound is none.
fn bound(limit: Option<u32>) -> i64 {
    limit.map_or(-1, i64::from)
}

/// The questions of `task` without an answer, oldest first.
pub fn open_of(read: &Read<'_>, task: TaskNumber) -> Result<Vec<QuestionRow>, StorageError> {
    // By the task: the index of what is open, which the plus keeps away from, may hold ten thousand of other tasks.
    let sql = "SELECT * FROM questions WHERE +state = 'open' AND task = ?1 ORDER BY number";
    read.all(sql, [task.value()], map)
}

/// The questions of each of `tasks` that have no answer, oldest first.
pub fn open_among(
    read: &Read<'_>,
    tasks: &[TaskNumber],
) -> Result<Vec<(TaskNumber, QuestionNumber)>, StorageError> {
    let sql = "SELECT task, number FROM questions
               WHERE +state = 'open' AND task IN (SELECT value FROM json_each(?1)) ORDER BY number";
    read.all(sql, [column::tasks(tasks)], |row| {
        Ok((column::task(row, "task")?, column::question(row, "number")?))
    })
}

/// Stores an answer.
pub fn answer(
    write: &mut Write<'_>,
    number: QuestionNumber,
    answer: &str,
    at: Timestamp,
) -> Result<(), StorageError> {
    write.run(
        "UPDATE questions SET state = 'answered', answer = ?2, answered_at = ?3 WHERE number = ?1",
        (number.value(), answer, at.millis()),
    )?;
    Ok(())
}

/// Withdraws one question.
pub fn withdraw_one(write: &mut Write<'_>, number: QuestionNumber) -> Result<(), StorageError> {
    let sql = "UPDATE questions SET state = 'withdrawn' WHERE number = ?1 AND state = 'open'";
    write.run(sql, [number.value()])?;
    Ok(())
}

/// Withdraws the questions of `task` that are open.
pub fn withdraw(write: &mut Write<'_>, task: TaskNumber) -> Result<(), StorageError> {
    let sql = "UPDATE questions SET state = 'withdrawn' WHERE task = ?1 AND +state = 'open'";
    write.run(sql, [task.value()])?;
    Ok(())
}

fn map(row: &Row<'_>) -> rusqlite::Result<QuestionRow> {
    Ok(QuestionRow {
        number: column::question(row, "number")?,
        task: column::task(row, "task")?,
        execution: column::execution(row, "execution")?,
        ordinal: column::count(row, "ordinal")?,
        asked: AskUser {
            question: row.get("question")?,
            options: column::json(row, "options")?,
            context: row.get("context")?,
        },
        state: column::word(row, "state")?,
        answer: row.get("answer")?,
        asked_at: column::time(row, "asked_at")?,
        answered_at: column::time_or_null(row, "answered_at")?,
    })
}
