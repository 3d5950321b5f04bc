//! `tasks`: what is to be done and how it stands.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::column;
use crate::{
    database::{Read, Row, StorageError, Write},
    domain::{Author, TaskState},
    ids::{ExecutionNumber, TaskNumber, Timestamp, UniqueId},
    vocabulary::{Budget, TaskSpec},
};

/// One task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskRow {
    /// `t12`.
    pub number: TaskNumber,
    /// Its identity across state directories.
    pub id: UniqueId,
    /// What was asked for.
    pub spec: TaskSpec,
    /// The task whose agent spawned it.
    pub parent: Option<TaskNumber>,
    /// The task at the top of its tree; itself where it has no parent.
    pub root: TaskNumber,
    /// Levels below the root.
    pub depth: u32,
    /// Who wrote its instructions.
    pub author: Author,
    /// Where a subtask's work starts from.
    pub spawn_base: Option<SpawnBase>,
    /// Names of the variables whose values are looked up at each launch.
    pub variables: Vec<String>,
    /// Where it stands.
    pub state: TaskState,
    /// Failed attempts since a person last acted.
    pub failures: u32,
    /// Executions lost in a row without an agent event.
    pub losses: u32,
    /// Refusals for now in a row.
    pub rate_limits: u32,
    /// How often its agent was to mend what `verify` found, since a person last acted.
    pub mendings: u32,
    /// The number of its last sandbox; 0 before the first.
    pub sandboxes: u32,
    /// Its sandboxes up to this number were given up.
    pub swept_sandboxes: u32,
    /// The folders of its executions up to this one were given up.
    pub swept_executions: Option<ExecutionNumber>,
    /// When it was submitted.
    pub created_at: Timestamp,
    /// When its state last changed.
    pub updated_at: Timestamp,
}

/// What limits a task: the little of its row that every call of a run looks at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// The task.
    pub number: TaskNumber,
    /// The task at the top of its tree.
    pub root: TaskNumber,
    /// How long one run of it may take.
    pub timeout_seconds: Option<u64>,
    /// What it and its subtasks may use, where it is the root.
    pub budget: Budget,
}

impl TaskRow {
    /// Whether what its `execution` left was given up.
    pub fn is_swept(&self, execution: ExecutionNumber) -> bool {
        self.swept_executions.is_some_and(|last| execution <= last)
    }

    /// What limits it.
    pub fn terms(&self) -> Terms {
        let Self { number, root, spec, .. } = self;
        Terms { number: *number, root: *root, timeout_seconds: spec.timeout_seconds, budget: spec.budget() }
    }
}

/// The commit of a parent's sandbox at the moment a subtask was spawned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpawnBase {
    /// The parent's sandbox, relative to the state directory.
    pub sandbox: PathBuf,
    /// The commit that the parent's supervisor pinned, once it has.
    pub commit: Option<String>,
}

/// A task that is about to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTaskRow {
    /// What was asked for.
    pub spec: TaskSpec,
    /// The task whose agent spawned it, with that task's root and depth.
    pub parent: Option<Parent>,
    /// Who wrote its instructions.
    pub author: Author,
    /// Where a subtask's work starts from.
    pub spawn_base: Option<SpawnBase>,
    /// Names of the variables whose values are looked up at each launch.
    pub variables: Vec<String>,
    /// Where it stands at first.
    pub state: TaskState,
    /// When it was submitted.
    pub at: Timestamp,
}

/// Where in a tree a new task hangs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent {
    /// The parent.
    pub task: TaskNumber,
    /// The parent's root.
    pub root: TaskNumber,
    /// The parent's depth.
    pub depth: u32,
}

/// Stores a task and returns its number.
pub fn insert(write: &mut Write<'_>, new: &NewTaskRow) -> Result<TaskNumber, StorageError> {
    let number = write.insert(
        "INSERT INTO tasks (id, name, spec, parent, root, depth, author, spawn_base, variables, state,
                            state_data, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12)",
        (
            UniqueId::mint().to_string(),
            &new.spec.name,
            column::text_of(&new.spec),
            new.parent.map(|parent| parent.task.value()),
            new.parent.map(|parent| parent.root.value()),
            new.parent.map_or(0, |parent| parent.depth + 1),
            column::plain(&new.author),
            new.spawn_base.as_ref().map(column::text_of),
            column::text_of(&new.variables),
            new.state.name(),
            column::text_of(&new.state),
            new.at.millis(),
        ),
    )?;
    Ok(TaskNumber::new(number))
}

/// The task `number`.
pub fn get(read: &Read<'_>, number: TaskNumber) -> Result<Option<TaskRow>, StorageError> {
    read.one("SELECT * FROM tasks WHERE number = ?1", [number.value()], map)
}

/// The number here of the task with this identity, where it is here.
pub fn by_id(read: &Read<'_>, id: UniqueId) -> Result<Option<TaskNumber>, StorageError> {
    read.one("SELECT number FROM tasks WHERE id = ?1", [id.to_string()], |row| column::task(row, "number"))
}

/// What limits the task `number`. The rest of what was asked for is passed over.
pub fn terms(read: &Read<'_>, number: TaskNumber) -> Result<Option<Terms>, StorageError> {
    #[derive(Deserialize)]
    struct Limits {
        #[serde(default)]
        timeout_seconds: Option<u64>,
        #[serde(default)]
        max_cost_usd: Option<f64>,
        #[serde(default)]
        max_tokens: Option<u64>,
    }
    read.one("SELECT root, spec FROM tasks WHERE number = ?1", [number.value()], |row| {
        let Limits { timeout_seconds, max_cost_usd, max_tokens } = column::json(row, "spec")?;
        let root = column::task_or_null(row, "root")?.unwrap_or(number);
        Ok(Terms { number, root, timeout_seconds, budget: Budget { max_cost_usd, max_tokens } })
    })
}

/// Every task, oldest first.
pub fn all(read: &Read<'_>) -> Result<Vec<TaskRow>, StorageError> {
    read.all("SELECT * FROM tasks ORDER BY number", [], map)
}

/// Those of `numbers`, oldest first.
pub fn some(read: &Read<'_>, numbers: &[TaskNumber]) -> Result<Vec<TaskRow>, StorageError> {
    let sql = "SELECT * FROM tasks WHERE number IN (SELECT value FROM json_each(?1)) ORDER BY number";
    read.all(sql, [column::tasks(numbers)], map)
}

/// The number of every task with the name of its state: from an index, without a look at the tasks themselves.
pub fn standings(read: &Read<'_>) -> Result<Vec<(TaskNumber, String)>, StorageError> {
    let sql = "SELECT number, state FROM tasks INDEXED BY tasks_by_state";
    read.all(sql, [], |row| Ok((column::task(row, "number")?, row.get("state")?)))
}

/// The tasks whose state has this name, oldest first.
pub fn in_state(read: &Read<'_>, state: &str) -> Result<Vec<TaskRow>, StorageError> {
    read.all("SELECT * FROM tasks WHERE state = ?1 ORDER BY number", [state], map)
}

/// The subtasks of `parent`, oldest first.
pub fn children(read: &Read<'_>, parent: TaskNumber) -> Result<Vec<TaskRow>, StorageError> {
    read.all("SELECT * FROM tasks WHERE parent = ?1 ORDER BY number", [parent.value()], map)
}

/// Every task of the tree under `root`, the root first.
pub fn tree(read: &Read<'_>, root: TaskNumber) -> Result<Vec<TaskRow>, StorageError> {
    read.all("SELECT * FROM tasks WHERE number = ?1 OR root = ?1 ORDER BY number", [root.value()], map)
}

/// Every task of the trees that `tasks` belong to, oldest first.
pub fn trees(read: &Read<'_>, tasks: &[TaskNumber]) -> Result<Vec<TaskRow>, StorageError> {
    let sql = "WITH roots AS (
                   SELECT coalesce(root, number) AS number FROM tasks
                   WHERE number IN (SELECT value FROM json_each(?1))
               )
               SELECT * FROM tasks
               WHERE number IN (SELECT number FROM roots) OR root IN (SELECT number FROM roots)
               ORDER BY number";
    read.all(sql, [column::tasks(tasks)], map)
}

/// The subtasks of each of `parents` that have not ended, oldest first.
pub fn open_children_among(
    read: &Read<'_>,
    parents: &[TaskNumber],
) -> Result<Vec<(TaskNumber, TaskNumber)>, StorageError> {
    let sql = "SELECT parent, number FROM tasks
               WHERE parent IN (SELECT value FROM json_each(?1))
                 AND state NOT IN ('completed', 'failed', 'timed_out', 'cancelled', 'budget_exceeded')
               ORDER BY number";
    read.all(sql, [column::tasks(parents)], |row| {
        Ok((column::task(row, "parent")?, column::task(row, "number")?))
    })
}

/// How many tasks have the state of this name.
pub fn count_in_state(read: &Read<'_>, state: &str) -> Result<u32, StorageError> {
    let count = read.one("SELECT count(*) AS n FROM tasks WHERE state = ?1", [state], |row| row.get("n"))?;
    Ok(count.unwrap_or(0))
}

/// How many tasks are in each state, by its name.
pub fn counts(read: &Read<'_>) -> Result<BTreeMap<String, u32>, StorageError> {
    let rows = read.all("SELECT state, count(*) AS n FROM tasks GROUP BY state", [], |row| {
        Ok((row.get("state")?, row.get("n")?))
    })?;
    Ok(rows.into_iter().collect())
}

/// Stores a task's state, its counters and where it starts from.
pub fn save(write: &mut Write<'_>, task: &TaskRow) -> Result<(), StorageError> {
    write.run(
        "UPDATE tasks SET state = ?2, state_data = ?3, failures = ?4, losses = ?5, rate_limits = ?6,
                          sandboxes = ?7, updated_at = ?8, variables = ?9, spawn_base = ?10,
                          mendings = ?11, swept_sandboxes = ?12, swept_executions = ?13
         WHERE number = ?1",
        (
            task.number.value(),
            task.state.name(),
            column::text_of(&task.state),
            task.failures,
            task.losses,
            task.rate_limits,
            task.sandboxes,
            task.updated_at.millis(),
            column::text_of(&task.variables),
            task.spawn_base.as_ref().map(column::text_of),
            task.mendings,
            task.swept_sandboxes,
            task.swept_executions.map(ExecutionNumber::value),
        ),
    )?;
    Ok(())
}

/// Stores what is asked for by a task anew.
pub fn save_spec(write: &mut Write<'_>, task: &TaskRow) -> Result<(), StorageError> {
    write.run(
        "UPDATE tasks SET spec = ?2 WHERE number = ?1",
        (task.number.value(), column::text_of(&task.spec)),
    )?;
    Ok(())
}

fn map(row: &Row<'_>) -> rusqlite::Result<TaskRow> {
    let number = column::task(row, "number")?;
    let id: String = row.get("id")?;
    Ok(TaskRow {
        number,
        id: UniqueId::parse(&id).ok_or(rusqlite::Error::InvalidQuery)?,
        spec: column::json(row, "spec")?,
        parent: column::task_or_null(row, "parent")?,
        root: column::task_or_null(row, "root")?.unwrap_or(number),
        depth: column::count(row, "depth")?,
        author: column::word(row, "author")?,
        spawn_base: column::json_or_null(row, "spawn_base")?,
        variables: column::json(row, "variables")?,
        state: column::json(row, "state_data")?,
        failures: column::count(row, "failures")?,
        losses: column::count(row, "losses")?,
        rate_limits: column::count(row, "rate_limits")?,
        mendings: column::count(row, "mendings")?,
        sandboxes: column::count(row, "sandboxes")?,
        swept_sandboxes: column::count(row, "swept_sandboxes")?,
        swept_executions: column::execution_or_null(row, "swept_executions")?,
        created_at: column::time(row, "created_at")?,
        updated_at: column::time(row, "updated_at")?,
    })
}
