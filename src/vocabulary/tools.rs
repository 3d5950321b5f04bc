//! The four tools: what an agent can say, checked.
//!
//! The shim checks before it sends and the store checks what arrives, both with [`Call::parse`], so
//! that an agent hears of a wrong argument even while no store answers, and a hostile client gains
//! nothing by leaving the shim out.

mod arguments;
mod fault;
pub mod limits;
mod parse;

use serde::{Deserialize, Serialize};

pub use fault::{ArgumentFault, ArgumentProblem};

/// The names of the four tools, sorted.
pub const TOOL_NAMES: [&str; 4] = ["ask_user", "record_progress", "report_summary", "spawn_subtask"];

/// One checked tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "tool", content = "arguments", rename_all = "snake_case")]
pub enum Call {
    /// A question for the person.
    AskUser(AskUser),
    /// What was done; the last one of a run counts.
    ReportSummary(ReportSummary),
    /// A task of its own for a part of the work.
    SpawnSubtask(SpawnSubtask),
    /// A line for the person to see.
    RecordProgress(RecordProgress),
}

impl Call {
    /// The tool's name, one of [`TOOL_NAMES`].
    pub fn tool(&self) -> &'static str {
        match self {
            Self::AskUser(_) => "ask_user",
            Self::ReportSummary(_) => "report_summary",
            Self::SpawnSubtask(_) => "spawn_subtask",
            Self::RecordProgress(_) => "record_progress",
        }
    }
}

/// `ask_user`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskUser {
    /// 1–4,000 characters.
    pub question: String,
    /// 0–10 answers to choose from, each 1–500 characters.
    pub options: Vec<String>,
    /// What the person should know, at most 10,000 characters.
    pub context: Option<String>,
}

/// `report_summary`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportSummary {
    /// 1–20,000 characters.
    pub summary: String,
    /// How much of the task is done.
    pub outcome: SummaryOutcome,
}

/// How much of a task its agent says is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SummaryOutcome {
    /// All of it.
    #[default]
    Done,
    /// Some of it.
    Partial,
    /// The run is to count as failed.
    Failed,
}

/// `spawn_subtask`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpawnSubtask {
    /// 1–200 characters, one line; unique among its siblings.
    pub name: String,
    /// 1–200,000 characters.
    pub instructions: String,
    /// Another agent program than the parent's; 1–100 characters, one line.
    pub agent: Option<String>,
    /// Another model than the parent's; 1–200 characters, one line.
    pub model: Option<String>,
    /// Names of earlier subtasks that must be completed first, at most 100.
    pub after: Vec<String>,
}

/// `record_progress`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordProgress {
    /// 1–500 characters.
    pub message: String,
    /// 0–100.
    pub percent: Option<u8>,
}
