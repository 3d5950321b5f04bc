//! What executions have used, and what that adds up to.

use std::path::{Path, PathBuf};

use super::{
    column,
    execution::{self, ExecutionRow},
};
use crate::{
    database::{Read, Row, StorageError},
    domain::Outcome,
    ids::{TaskNumber, Timestamp},
    vocabulary::Usage,
};

/// What all executions of the tree under `root` have used so far.
pub fn used_by_tree(read: &Read<'_>, root: TaskNumber) -> Result<Usage, StorageError> {
    let sql = "SELECT sum(cost_usd) AS cost_usd, sum(tokens_in) AS tokens_in, sum(tokens_out) AS tokens_out
               FROM executions WHERE task IN (SELECT number FROM tasks WHERE number = ?1 OR root = ?1)";
    Ok(read.one(sql, [root.value()], usage)?.unwrap_or_default())
}

/// What the executions of one agent with one outcome add up to.
#[derive(Debug, Clone, PartialEq)]
pub struct Total {
    /// The agent program's name.
    pub agent: String,
    /// How they ended; `None` of those that have not.
    pub outcome: Option<Outcome>,
    /// How many there are.
    pub count: u64,
    /// What they used.
    pub usage: Usage,
}

/// The totals of all executions there ever were, by agent and outcome.
pub fn totals(read: &Read<'_>) -> Result<Vec<Total>, StorageError> {
    let sql = "SELECT json_extract(details, '$.agent') AS agent, outcome, count(*) AS n,
                      sum(cost_usd) AS cost_usd, sum(tokens_in) AS tokens_in, sum(tokens_out) AS tokens_out
               FROM executions GROUP BY agent, outcome ORDER BY agent, outcome";
    read.all(sql, [], |row| {
        Ok(Total {
            agent: row.get("agent")?,
            outcome: column::word_or_null(row, "outcome")?,
            count: row.get::<i64>("n")?.unsigned_abs(),
            usage: usage(row)?,
        })
    })
}

/// What the executions that were claimed since `start` have cost so far, in US dollars, by the projects of their tasks.
pub fn spent_since(read: &Read<'_>, start: Timestamp) -> Result<Vec<(Option<PathBuf>, f64)>, StorageError> {
    let sql = "SELECT json_extract(tasks.spec, '$.project') AS project, sum(cost_usd) AS cost
               FROM executions JOIN tasks ON tasks.number = executions.task
               WHERE executions.created_at >= ?1 AND cost_usd IS NOT NULL GROUP BY project";
    read.all(sql, [start.millis()], |row| Ok((column::path_or_null(row, "project")?, row.get("cost")?)))
}

/// The last of those that has cost anything, of `project` where one is named.
pub fn last_costly(
    read: &Read<'_>,
    start: Timestamp,
    project: Option<&Path>,
) -> Result<Option<ExecutionRow>, StorageError> {
    let sql = "SELECT executions.* FROM executions JOIN tasks ON tasks.number = executions.task
               WHERE executions.created_at >= ?1 AND cost_usd > 0
                 AND (?2 IS NULL OR json_extract(tasks.spec, '$.project') = ?2)
               ORDER BY executions.number DESC LIMIT 1";
    let project = project.map(|project| project.to_string_lossy().into_owned());
    read.one(sql, (start.millis(), project), execution::map)
}

/// The columns of one execution, or of sums with their names.
pub(super) fn usage(row: &Row<'_>) -> rusqlite::Result<Usage> {
    Ok(Usage {
        cost_usd: row.get("cost_usd")?,
        tokens_in: row.get::<Option<i64>>("tokens_in")?.map(i64::unsigned_abs),
        tokens_out: row.get::<Option<i64>>("tokens_out")?.map(i64::unsigned_abs),
    })
}
