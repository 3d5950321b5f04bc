//! What the earlier runs of tasks say of who goes on with them.

use super::column;
use crate::{
    database::{Read, StorageError},
    domain::EarlierRun,
    ids::TaskNumber,
};

/// The executions of `tasks`, each with its task, oldest first.
pub fn of_tasks(
    read: &Read<'_>,
    tasks: &[TaskNumber],
) -> Result<Vec<(TaskNumber, EarlierRun)>, StorageError> {
    if tasks.is_empty() {
        return Ok(Vec::new());
    }
    let sql = "SELECT task, json_extract(details, '$.agent') AS agent,
                      session IS NOT NULL AND sandbox IS NOT NULL
                      AND (coalesce(json_extract(details, '$.worked'), 0)
                           OR turn_taken AND coalesce(outcome, '') NOT IN ('auth', 'rate_limited')) AS conversation
               FROM executions WHERE task IN (SELECT value FROM json_each(?1)) ORDER BY number";
    read.all(sql, [column::tasks(tasks)], |row| {
        let run = EarlierRun { agent: row.get("agent")?, conversation: row.get("conversation")? };
        Ok((column::task(row, "task")?, run))
    })
}
