//! All rows of some tasks together, as they travel from one state directory to another.
//!
//! What happened is not among them: it was told, and to other people. Nor is what runs proved themselves with.

use serde::{Deserialize, Serialize};

use super::{
    column, dependency,
    execution::{self, ExecutionRow},
    message::{self, MessageRow},
    question::{self, QuestionRow},
    signal::{self, SignalRow},
    task::{self, TaskRow},
};
use crate::{
    database::{Read, StorageError, Write},
    ids::{ExecutionNumber, TaskNumber, Timestamp},
};

/// The rows, each kind by its numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rows {
    /// The tasks.
    pub tasks: Vec<TaskRow>,
    /// What they come after, in the order they were named in.
    pub dependencies: Vec<Dependency>,
    /// Their executions.
    pub executions: Vec<ExecutionRow>,
    /// What was said in these.
    pub signals: Vec<SignalRow>,
    /// What was asked.
    pub questions: Vec<QuestionRow>,
    /// What is to be said, and was.
    pub messages: Vec<MessageRow>,
}

/// One task must be completed before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    /// The one that waits.
    pub task: TaskNumber,
    /// The one that it waits for.
    pub predecessor: TaskNumber,
}

/// The rows of `numbers`.
pub fn of_tasks(read: &Read<'_>, numbers: &[TaskNumber]) -> Result<Rows, StorageError> {
    let tasks = task::some(read, numbers)?;
    let mut rows = Rows {
        tasks: Vec::new(),
        dependencies: Vec::new(),
        executions: Vec::new(),
        signals: Vec::new(),
        questions: Vec::new(),
        messages: Vec::new(),
    };
    for TaskRow { number: task, .. } in &tasks {
        let predecessors = dependency::predecessors(read, *task)?;
        rows.dependencies
            .extend(predecessors.into_iter().map(|predecessor| Dependency { task: *task, predecessor }));
        rows.executions.extend(execution::of_task(read, *task)?);
        rows.signals.extend(signal::of_task(read, *task)?);
        rows.questions.extend(question::of_task(read, *task)?);
        rows.messages.extend(message::of_task(read, *task)?);
    }
    rows.tasks = tasks;
    rows.executions.sort_by_key(|run| run.number);
    rows.questions.sort_by_key(|question| question.number);
    rows.messages.sort_by_key(|message| message.number);
    Ok(rows)
}

/// Stores rows whose numbers nothing here has. Messages are numbered anew, behind all there are.
pub fn insert(write: &mut Write<'_>, rows: &Rows) -> Result<(), StorageError> {
    for row in &rows.tasks {
        insert_task(write, row)?;
        task::save(write, row)?;
    }
    for Dependency { task, predecessor } in &rows.dependencies {
        let before = dependency::predecessors(write, *task)?;
        if !before.contains(predecessor) {
            dependency::insert_at(write, *task, before.len(), *predecessor)?;
        }
    }
    for row in &rows.executions {
        insert_execution(write, row)?;
        execution::save(write, row)?;
    }
    for row in &rows.signals {
        signal::insert(write, row)?;
    }
    for row in &rows.questions {
        insert_question(write, row)?;
    }
    for row in &rows.messages {
        insert_message(write, row)?;
    }
    Ok(())
}

fn insert_task(write: &mut Write<'_>, row: &TaskRow) -> Result<(), StorageError> {
    write.run(
        "INSERT INTO tasks (number, id, name, spec, parent, root, depth, author, variables, state, state_data,
                            created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        (
            row.number.value(),
            row.id.to_string(),
            &row.spec.name,
            column::text_of(&row.spec),
            row.parent.map(TaskNumber::value),
            row.parent.map(|_| row.root.value()),
            row.depth,
            column::plain(&row.author),
            column::text_of(&row.variables),
            row.state.name(),
            column::text_of(&row.state),
            row.created_at.millis(),
            row.updated_at.millis(),
        ),
    )?;
    Ok(())
}

fn insert_execution(write: &mut Write<'_>, row: &ExecutionRow) -> Result<(), StorageError> {
    write.run(
        "INSERT INTO executions (number, task, attempt, state, created_at, details)
         VALUES (?1, ?2, ?3, 'ended', ?4, ?5)",
        (
            row.number.value(),
            row.task.value(),
            row.attempt,
            row.created_at.millis(),
            column::text_of(&row.details),
        ),
    )?;
    Ok(())
}

fn insert_question(write: &mut Write<'_>, row: &QuestionRow) -> Result<(), StorageError> {
    write.run(
        "INSERT INTO questions (number, task, execution, ordinal, question, options, context, state, answer,
                                asked_at, answered_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        (
            row.number.value(),
            row.task.value(),
            row.execution.value(),
            row.ordinal,
            &row.asked.question,
            column::text_of(&row.asked.options),
            &row.asked.context,
            row.state.name(),
            &row.answer,
            row.asked_at.millis(),
            row.answered_at.map(Timestamp::millis),
        ),
    )?;
    Ok(())
}

fn insert_message(write: &mut Write<'_>, row: &MessageRow) -> Result<(), StorageError> {
    write.run(
        "INSERT INTO messages (task, kind, body, question, subtask, carried_by, taken_at, created_at, handed_by,
                               handed_call, actor)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        (
            row.task.value(),
            message::kind(&row.unsaid),
            column::text_of(&row.unsaid),
            row.question.map(crate::ids::QuestionNumber::value),
            row.subtask.map(TaskNumber::value),
            row.carried_by.map(ExecutionNumber::value),
            row.taken_at.map(Timestamp::millis),
            row.created_at.millis(),
            row.handed_by.map(ExecutionNumber::value),
            row.handed_call,
            &row.actor,
        ),
    )?;
    Ok(())
}
