//! What lists show of executions: read without all that only a look at one needs.

use super::{column, execution::ExecutionState};
use crate::{
    database::{Read, StorageError},
    ids::{TaskNumber, Timestamp},
};

/// What is listed of one execution.
#[derive(Debug, Clone, PartialEq)]
pub struct Glance {
    /// Its task.
    pub task: TaskNumber,
    /// How far it is.
    pub state: ExecutionState,
    /// What it cost, in US dollars.
    pub cost_usd: Option<f64>,
    /// When it ends by itself, where no process of callbox's is with it.
    pub unbound_until: Option<Timestamp>,
    /// What its agent did last, while it has not ended.
    pub activity: Option<String>,
    /// The branch that it delivered; inside `None` where it delivered something else, and outside where nothing.
    pub branch: Option<Option<String>>,
}

/// The executions of `tasks`, oldest first.
pub fn of_tasks(read: &Read<'_>, tasks: &[TaskNumber]) -> Result<Vec<Glance>, StorageError> {
    let sql = "SELECT task, state, cost_usd, unbound_until,
                      CASE WHEN state <> 'ended' THEN json_extract(details, '$.activity') END AS activity,
                      json_type(details, '$.delivery') = 'object' AS delivered,
                      json_extract(details, '$.delivery.branch') AS branch
               FROM executions WHERE task IN (SELECT value FROM json_each(?1)) ORDER BY number";
    read.all(sql, [column::tasks(tasks)], |row| {
        let delivered = row.get::<Option<bool>>("delivered")?.unwrap_or(false);
        let branch: Option<String> = row.get("branch")?;
        Ok(Glance {
            task: column::task(row, "task")?,
            state: column::word(row, "state")?,
            cost_usd: row.get("cost_usd")?,
            unbound_until: column::time_or_null(row, "unbound_until")?,
            activity: row.get("activity")?,
            branch: delivered.then_some(branch),
        })
    })
}
