//! `dependencies`: which tasks must be completed before another runs.

use super::{column, task::TaskRow};
use crate::{
    database::{Read, StorageError, Write},
    ids::TaskNumber,
};

/// Stores that `task` runs only after `predecessors`, in this order.
pub fn insert(
    write: &mut Write<'_>,
    task: TaskNumber,
    predecessors: &[TaskNumber],
) -> Result<(), StorageError> {
    for (place, predecessor) in predecessors.iter().enumerate() {
        insert_at(write, task, place, *predecessor)?;
    }
    Ok(())
}

/// Stores one of them at its place among them, unless it has one.
pub(super) fn insert_at(
    write: &mut Write<'_>,
    task: TaskNumber,
    place: usize,
    predecessor: TaskNumber,
) -> Result<(), StorageError> {
    write.run(
        "INSERT OR IGNORE INTO dependencies (task, place, predecessor) VALUES (?1, ?2, ?3)",
        (task.value(), i64::try_from(place).unwrap_or(i64::MAX), predecessor.value()),
    )?;
    Ok(())
}

/// The predecessors of `task`, in the order they were named in.
pub fn predecessors(read: &Read<'_>, task: TaskNumber) -> Result<Vec<TaskNumber>, StorageError> {
    read.all("SELECT predecessor FROM dependencies WHERE task = ?1 ORDER BY place", [task.value()], |row| {
        column::task(row, "predecessor")
    })
}

/// The tasks that wait for `predecessor`.
pub fn dependents(read: &Read<'_>, predecessor: TaskNumber) -> Result<Vec<TaskNumber>, StorageError> {
    read.all(
        "SELECT task FROM dependencies WHERE predecessor = ?1 ORDER BY task",
        [predecessor.value()],
        |row| column::task(row, "task"),
    )
}

/// Those predecessors of `task` that are not completed.
pub fn unmet(read: &Read<'_>, task: &TaskRow) -> Result<Vec<TaskNumber>, StorageError> {
    read.all(
        "SELECT predecessor FROM dependencies JOIN tasks ON tasks.number = predecessor
         WHERE task = ?1 AND tasks.state <> 'completed' ORDER BY place",
        [task.number.value()],
        |row| column::task(row, "predecessor"),
    )
}

/// Those predecessors of each of `tasks` that are not completed, in the order they were named in.
pub fn unmet_among(
    read: &Read<'_>,
    tasks: &[TaskNumber],
) -> Result<Vec<(TaskNumber, TaskNumber)>, StorageError> {
    let sql = "SELECT task, predecessor FROM dependencies JOIN tasks ON tasks.number = predecessor
               WHERE task IN (SELECT value FROM json_each(?1)) AND tasks.state <> 'completed'
               ORDER BY task, place";
    read.all(sql, [column::tasks(tasks)], |row| {
        Ok((column::task(row, "task")?, column::task(row, "predecessor")?))
    })
}
