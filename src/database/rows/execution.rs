//! `executions`: the runs of tasks.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{column, usage::usage};
use crate::{
    database::{Read, Row, StorageError, Write},
    domain::{Outcome, Start, SummarySource},
    ids::{ExecutionNumber, TaskNumber, Timestamp},
    vocabulary::{
        Conflict, Delivery, Denial, Ending, Exit, Fault, Isolation, Kept, SummaryOutcome, Usage, Verified,
    },
};

/// One execution. What it proved itself with goes nowhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecutionRow {
    /// `x31`.
    pub number: ExecutionNumber,
    /// Its task.
    pub task: TaskNumber,
    /// Counts the runs that count against `retry`, from 1.
    pub attempt: u32,
    /// How far it is.
    pub state: ExecutionState,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// The agent program's own session id.
    pub session: Option<String>,
    /// Its sandbox, relative to the state directory.
    pub sandbox: Option<PathBuf>,
    /// The SHA-256 of its token, until it is revoked.
    #[serde(skip)]
    pub token_hash: Option<[u8; 32]>,
    /// The SHA-256 of its supervisor's secret.
    #[serde(skip)]
    pub supervisor_hash: Option<[u8; 32]>,
    /// The number of the last report taken.
    pub last_report: u64,
    /// Whether an agent event has proven that its message was taken.
    pub turn_taken: bool,
    /// Whether an agent's shim has announced itself.
    pub hello_seen: bool,
    /// When it ends by itself, where no process of callbox's is with it: it was opened for an agent that a person
    /// configured by hand.
    pub unbound_until: Option<Timestamp>,
    /// When it was claimed.
    pub created_at: Timestamp,
    /// When its supervisor began.
    pub started_at: Option<Timestamp>,
    /// When it had ended.
    pub ended_at: Option<Timestamp>,
    /// What it used.
    pub usage: Usage,
    /// What nobody searches for.
    pub details: Details,
}

/// How far an execution is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExecutionState {
    /// Claimed; its supervisor has not begun.
    Starting,
    /// Its supervisor is at work.
    Running,
    /// Its agent is gone and its work is being handed over.
    Delivering,
    /// Over.
    Ended,
}

/// The parts of an execution that are only shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Details {
    /// How it began.
    pub start: Start,
    /// The agent program's name.
    pub agent: String,
    /// Its version, as it said itself.
    #[serde(default)]
    pub agent_version: Option<String>,
    /// The model, as the program named it.
    #[serde(default)]
    pub model: Option<String>,
    /// `subscription`, or the name of the variable that held the key.
    #[serde(default)]
    pub credential: Option<String>,
    /// Whether a person started its agent, which works in a directory of theirs.
    #[serde(default)]
    pub by_hand: bool,
    /// What its agent is held by.
    #[serde(default)]
    pub isolation: Option<Isolation>,
    /// How often its finish step was begun without an agent before it.
    #[serde(default)]
    pub finishes: u32,
    /// Its supervisor's process id.
    #[serde(default)]
    pub supervisor: Option<u32>,
    /// The commit its sandbox started from.
    #[serde(default)]
    pub base: Option<String>,
    /// What its agent did last.
    #[serde(default)]
    pub activity: Option<String>,
    /// Whether its agent was started, behind whatever sets its sandbox up.
    #[serde(default)]
    pub agent_started: bool,
    /// Whether its model did anything, so that whatever its provider refused later broke a conversation off.
    #[serde(default)]
    pub worked: bool,
    /// What was denied.
    #[serde(default)]
    pub denials: Vec<Denial>,
    /// What a person should be told.
    #[serde(default)]
    pub notices: Vec<String>,
    /// How the agent's process ended.
    #[serde(default)]
    pub exit: Option<Exit>,
    /// How the agent's part ended.
    #[serde(default)]
    pub ending: Option<Ending>,
    /// What is kept as its summary.
    #[serde(default)]
    pub summary: Option<String>,
    /// Where the summary comes from.
    #[serde(default)]
    pub summary_source: Option<SummarySource>,
    /// What the agent said of its work.
    #[serde(default)]
    pub reported: Option<SummaryOutcome>,
    /// What the command that decides about the work came to.
    #[serde(default)]
    pub verified: Option<Verified>,
    /// What its work is in conflict with.
    #[serde(default)]
    pub conflict: Option<Conflict>,
    /// What was delivered.
    #[serde(default)]
    pub delivery: Option<Delivery>,
    /// What of its work is kept, where it has no good end.
    #[serde(default)]
    pub kept: Option<Kept>,
    /// Why its work could not be kept: it stands in the sandbox alone.
    #[serde(default)]
    pub not_kept: Option<String>,
    /// Whether its work was handed over or kept as far as there was any: no sandbox holds more of it.
    #[serde(default)]
    pub settled: bool,
    /// Why it did not end well.
    #[serde(default)]
    pub fault: Option<Fault>,
}

impl Details {
    /// What is known when an execution is claimed.
    pub fn new(agent: impl Into<String>, start: Start) -> Self {
        Self {
            start,
            agent: agent.into(),
            agent_version: None,
            model: None,
            credential: None,
            by_hand: false,
            isolation: None,
            finishes: 0,
            supervisor: None,
            base: None,
            activity: None,
            agent_started: false,
            worked: false,
            denials: Vec::new(),
            notices: Vec::new(),
            exit: None,
            ending: None,
            summary: None,
            summary_source: None,
            reported: None,
            verified: None,
            conflict: None,
            delivery: None,
            kept: None,
            not_kept: None,
            settled: false,
            fault: None,
        }
    }
}

/// Stores a claimed execution and returns its number.
pub fn insert(
    write: &mut Write<'_>,
    task: TaskNumber,
    attempt: u32,
    details: &Details,
    at: Timestamp,
) -> Result<ExecutionNumber, StorageError> {
    let number = write.insert(
        "INSERT INTO executions (task, attempt, state, created_at, details)
         VALUES (?1, ?2, 'starting', ?3, ?4)",
        (task.value(), attempt, at.millis(), column::text_of(details)),
    )?;
    Ok(ExecutionNumber::new(number))
}

/// Stores everything of an execution that can change.
pub fn save(write: &mut Write<'_>, execution: &ExecutionRow) -> Result<(), StorageError> {
    write.run(
        "UPDATE executions SET
             state = ?2, outcome = ?3, session = ?4, sandbox = ?5, token_hash = ?6, supervisor_hash = ?7,
             last_report = ?8, turn_taken = ?9, hello_seen = ?10, started_at = ?11, ended_at = ?12,
             cost_usd = ?13, tokens_in = ?14, tokens_out = ?15, details = ?16
         WHERE number = ?1",
        (
            execution.number.value(),
            column::plain(&execution.state),
            execution.outcome.map(Outcome::name),
            &execution.session,
            execution.sandbox.as_ref().map(|path| path.to_string_lossy().into_owned()),
            execution.token_hash,
            execution.supervisor_hash,
            i64::try_from(execution.last_report).unwrap_or(i64::MAX),
            execution.turn_taken,
            execution.hello_seen,
            execution.started_at.map(Timestamp::millis),
            execution.ended_at.map(Timestamp::millis),
            execution.usage.cost_usd,
            execution.usage.tokens_in.map(stored_tokens),
            execution.usage.tokens_out.map(stored_tokens),
            column::text_of(&execution.details),
        ),
    )?;
    Ok(())
}

/// The most tokens that are stored of one run. More than any run uses; and SQLite's `sum()` fails where it
/// overflows, which a count that an agent program made up must not bring about for a whole tree.
const MOST_TOKENS: u64 = 1 << 53;

fn stored_tokens(count: u64) -> i64 {
    i64::try_from(count.min(MOST_TOKENS)).unwrap_or(i64::MAX)
}

/// Removes an execution that never ran and that nothing refers to; its number is not used again.
pub fn remove(write: &mut Write<'_>, number: ExecutionNumber) -> Result<(), StorageError> {
    write.run("UPDATE messages SET carried_by = NULL WHERE carried_by = ?1", [number.value()])?;
    write.run("UPDATE events SET execution = NULL WHERE execution = ?1", [number.value()])?;
    write.run("DELETE FROM executions WHERE number = ?1", [number.value()])?;
    Ok(())
}

/// The execution `number`.
pub fn get(read: &Read<'_>, number: ExecutionNumber) -> Result<Option<ExecutionRow>, StorageError> {
    read.one("SELECT * FROM executions WHERE number = ?1", [number.value()], map)
}

/// The executions of `task`, oldest first.
pub fn of_task(read: &Read<'_>, task: TaskNumber) -> Result<Vec<ExecutionRow>, StorageError> {
    read.all("SELECT * FROM executions WHERE task = ?1 ORDER BY number", [task.value()], map)
}

/// The last execution of `task`.
pub fn last_of(read: &Read<'_>, task: TaskNumber) -> Result<Option<ExecutionRow>, StorageError> {
    read.one("SELECT * FROM executions WHERE task = ?1 ORDER BY number DESC LIMIT 1", [task.value()], map)
}

/// The last execution of `task` that had a sandbox.
pub fn last_with_sandbox(read: &Read<'_>, task: TaskNumber) -> Result<Option<ExecutionRow>, StorageError> {
    let sql = "SELECT * FROM executions WHERE task = ?1 AND sandbox IS NOT NULL ORDER BY number DESC LIMIT 1";
    read.one(sql, [task.value()], map)
}

/// What `task` delivered last.
pub fn last_delivery(read: &Read<'_>, task: TaskNumber) -> Result<Option<Delivery>, StorageError> {
    Ok(of_task(read, task)?.into_iter().rev().find_map(|run| run.details.delivery))
}

/// The branch that `task` delivered last; `None` also where it delivered something else since.
pub fn last_branch(read: &Read<'_>, task: TaskNumber) -> Result<Option<String>, StorageError> {
    Ok(last_delivery(read, task)?.and_then(|delivery| delivery.branch))
}

/// The executions that have not ended, oldest first.
pub fn alive(read: &Read<'_>) -> Result<Vec<ExecutionRow>, StorageError> {
    read.all("SELECT * FROM executions WHERE state <> 'ended' ORDER BY number", [], map)
}

/// The executions whose end their supervisor has to report or that have one which was not seen to end, oldest first.
pub fn unsettled(read: &Read<'_>) -> Result<Vec<ExecutionRow>, StorageError> {
    let sql = "SELECT * FROM executions WHERE (state <> 'ended' AND NOT (state = 'running' AND unbound_until IS NOT NULL))
                OR supervised = 1 ORDER BY number";
    read.all(sql, [], map)
}

/// Notes that no process of callbox's will be with `number`, and when it ends by itself.
pub fn leave_unbound(
    write: &mut Write<'_>,
    number: ExecutionNumber,
    until: Timestamp,
) -> Result<(), StorageError> {
    let until = (number.value(), until.millis());
    write.run("UPDATE executions SET unbound_until = ?2 WHERE number = ?1", until)?;
    Ok(())
}

/// Notes that `number` is given a supervisor.
pub fn supervisor_given(write: &mut Write<'_>, number: ExecutionNumber) -> Result<(), StorageError> {
    write.run("UPDATE executions SET supervised = 1 WHERE number = ?1", [number.value()])?;
    Ok(())
}

/// Notes that the supervisor of `number` was seen to end.
pub fn supervisor_gone(write: &mut Write<'_>, number: ExecutionNumber) -> Result<(), StorageError> {
    write.run("UPDATE executions SET supervised = 0 WHERE number = ?1", [number.value()])?;
    Ok(())
}

/// The open executions that no process of callbox's is with, the one that ends first foremost.
pub fn unbound(read: &Read<'_>) -> Result<Vec<ExecutionRow>, StorageError> {
    let sql = "SELECT * FROM executions WHERE unbound_until IS NOT NULL AND state = 'running'
                ORDER BY unbound_until";
    read.all(sql, [], map)
}

/// The executions that have not ended, besides those that no process of callbox's is with.
pub fn at_work(read: &Read<'_>) -> Result<Vec<ExecutionRow>, StorageError> {
    let sql = "SELECT * FROM executions
                WHERE state <> 'ended' AND NOT (state = 'running' AND unbound_until IS NOT NULL)";
    read.all(sql, [], map)
}

/// How many those are.
pub fn count_at_work(read: &Read<'_>) -> Result<u32, StorageError> {
    let sql = "SELECT count(*) AS n FROM executions
                WHERE state <> 'ended' AND NOT (state = 'running' AND unbound_until IS NOT NULL)";
    Ok(read.one(sql, [], |row| row.get("n"))?.unwrap_or(0))
}

/// The execution whose token has this hash, revoked or not.
pub fn by_token(read: &Read<'_>, hash: &[u8; 32]) -> Result<Option<ExecutionRow>, StorageError> {
    read.one("SELECT * FROM executions WHERE token_hash = ?1", [hash], map)
}

/// The execution whose supervisor's secret has this hash.
pub fn by_supervisor(read: &Read<'_>, hash: &[u8; 32]) -> Result<Option<ExecutionRow>, StorageError> {
    read.one("SELECT * FROM executions WHERE supervisor_hash = ?1", [hash], map)
}

pub(super) fn map(row: &Row<'_>) -> rusqlite::Result<ExecutionRow> {
    Ok(ExecutionRow {
        number: column::execution(row, "number")?,
        task: column::task(row, "task")?,
        attempt: column::count(row, "attempt")?,
        state: column::word(row, "state")?,
        outcome: column::word_or_null(row, "outcome")?,
        session: row.get("session")?,
        sandbox: column::path_or_null(row, "sandbox")?,
        token_hash: row.get("token_hash")?,
        supervisor_hash: row.get("supervisor_hash")?,
        last_report: row.get::<i64>("last_report")?.unsigned_abs(),
        turn_taken: row.get("turn_taken")?,
        hello_seen: row.get("hello_seen")?,
        unbound_until: column::time_or_null(row, "unbound_until")?,
        created_at: column::time(row, "created_at")?,
        started_at: column::time_or_null(row, "started_at")?,
        ended_at: column::time_or_null(row, "ended_at")?,
        usage: usage(row)?,
        details: column::json(row, "details")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absurd_count_of_tokens_does_not_overflow_the_sum_of_a_tree() {
        assert_eq!(stored_tokens(12_000), 12_000);
        assert!(stored_tokens(u64::MAX).checked_mul(1_000).is_some());
    }
}
