//! What happened, in order: `GET /v1/events` as server-sent events.
//!
//! `id` is the event's place in the state directory, for `Last-Event-ID`; `event` is its kind;
//! `data` is an [`Event`].

use serde::{Deserialize, Serialize};

use crate::ids::{ExecutionNumber, TaskNumber, Timestamp};

/// One event of one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its place in the state directory, from 1, without order gaps that a reader could miss.
    pub seq: i64,
    /// When it was recorded.
    pub at: Timestamp,
    /// The task.
    pub task: TaskNumber,
    /// The execution, where one is concerned.
    pub execution: Option<ExecutionNumber>,
    /// Such as `state`, `progress`, `question`, `summary`, `activity`, `notice`.
    pub kind: String,
    /// A sentence or the agent's words: untrusted until it passed the sanitiser.
    pub text: String,
    /// Who decided, where a person did: process id, program and terminal of the peer.
    pub actor: Option<String>,
}
