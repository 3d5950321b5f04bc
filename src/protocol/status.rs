//! How a store stands: `GET /v1/status`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::Timestamp;

/// How a store and everything in its state directory stand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// The store's version of callbox.
    pub version: String,
    /// The store's process id.
    pub pid: u32,
    /// Counts up with every store that opened this state directory.
    pub generation: i64,
    /// Whether the store stays by itself.
    pub resident: bool,
    /// Executions whose supervisor is at work.
    pub running: u32,
    /// Executions that may be at work at once.
    pub slots: u32,
    /// Tasks in each state, by its name; a state that no task is in is missing.
    pub tasks: BTreeMap<String, u32>,
    /// Questions without an answer.
    pub questions: u32,
    /// Agents of which anything is to be said.
    pub agents: Vec<AgentStatus>,
    /// What this day has cost, where the configuration limits it.
    pub day: Option<DayStatus>,
    /// The place of the newest event; 0 where there is none.
    pub last_event: i64,
}

/// How one agent program stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentStatus {
    /// Its name.
    pub name: String,
    /// Its executions that are at work.
    pub running: u32,
    /// Those that may be at once, where the configuration limits them.
    pub slots: Option<u32>,
    /// What holds its tasks: `rate_limit`, `auth` or `failures`.
    pub held: Option<String>,
    /// When that is over or tried again, where a time is known.
    pub until: Option<Timestamp>,
    /// What the program or its provider said.
    pub message: Option<String>,
}

/// What one day has cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DayStatus {
    /// US dollars, as far as agents report them.
    pub spent_usd: f64,
    /// US dollars that may be spent on all tasks.
    pub limit_usd: Option<f64>,
    /// When the day is over.
    pub until: Timestamp,
}
