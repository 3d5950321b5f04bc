//! The agent plane: what a shim says for its agent, under the token of one execution.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ids::{ExecutionNumber, TaskNumber};

/// `POST /v1/run/signals`: one tool call, under an idempotency key of 1–200 visible characters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignalRequest {
    /// The tool's own name, also where the shim offers it under another.
    pub tool: String,
    /// The arguments as the agent gave them; the store checks them again.
    pub arguments: Map<String, Value>,
}

/// The answer to a recorded signal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignalReply {
    /// The signal's place in its execution, from 1.
    pub seq: u32,
    /// What the agent is told: what was recorded and what to do next.
    pub text: String,
}

/// `POST /v1/run/hello`: an MCP client connected to the shim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// The client's name as it gave it, at most 200 characters.
    pub client: String,
    /// The client's version as it gave it, at most 200 characters.
    pub version: String,
    /// The MCP revision spoken, such as `2025-11-25`.
    pub protocol: String,
}

/// `GET /v1/run`: which run a token speaks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunIdentity {
    /// The execution the token was minted for.
    pub execution: ExecutionNumber,
    /// Its task.
    pub task: TaskNumber,
    /// The task's name.
    pub name: String,
}
