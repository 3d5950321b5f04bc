//! What a person's own command is told on standard input. REFERENCE.md documents it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{
    ids::{ExecutionNumber, QuestionNumber, TaskNumber, Timestamp},
    vocabulary::NotifyCommand,
};

/// The version of [`Notice`].
pub const NOTICE_SCHEMA: u32 = 1;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// [`NOTICE_SCHEMA`].
    pub schema: u32,
    /// What.
    pub kind: NoticeKind,
    /// When it was recorded.
    pub at: Timestamp,
    /// The task that it is about.
    pub task: NoticeTask,
    /// The execution, where one is concerned.
    pub execution: Option<ExecutionNumber>,
    /// The question, the summary, or why it ended so.
    pub text: String,
    /// What was asked, where something was.
    pub question: Option<NoticeQuestion>,
}

/// What a notice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// An agent asks.
    Question,
    /// Its work waits for a review.
    Ready,
    /// It ended well.
    Completed,
    /// It failed.
    Failed,
    /// It took too long.
    TimedOut,
    /// It was cancelled.
    Cancelled,
    /// The budget of its tree is used up.
    BudgetExceeded,
    /// The money of the day is spent.
    DayBudget,
    /// An agent program is paused for all tasks, or of use again.
    Agent,
}

impl NoticeKind {
    /// Of a task that came into the state of this name; `None` where nobody is told of that.
    pub fn of_state(name: &str) -> Option<Self> {
        Some(match name {
            "ready" => Self::Ready,
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            "timed_out" => Self::TimedOut,
            "cancelled" => Self::Cancelled,
            "budget_exceeded" => Self::BudgetExceeded,
            _ => return None,
        })
    }
}

/// The task of a notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeTask {
    /// `t12`.
    pub number: TaskNumber,
    /// Its name.
    pub name: String,
    /// Where it stands when the command is started.
    pub state: String,
    /// The root of its project.
    pub project: Option<PathBuf>,
    /// Its agent program.
    pub agent: String,
}

/// The question of a notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeQuestion {
    /// `q7`.
    pub number: QuestionNumber,
    /// What was asked.
    pub question: String,
    /// What may be chosen; none where the answer is free.
    pub options: Vec<String>,
}

/// What the process that runs the command is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeOrder {
    /// The command.
    pub command: NotifyCommand,
    /// What it is told.
    pub notice: Notice,
}
