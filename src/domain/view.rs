//! What a decision sees of a task.

use super::{Demands, Met, TaskState};
use crate::{
    ids::{ExecutionNumber, Timestamp},
    vocabulary::{Fault, OnRateLimit, RetryPolicy},
};

/// A task as it stands when an event arrives, after the event's own facts were recorded: an answer
/// that was just given is no longer an open question and already something to be said.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskView {
    /// Where it stands.
    pub state: TaskState,
    /// Its last execution, at work or ended.
    pub last_execution: Option<ExecutionNumber>,
    /// Whether a sandbox may hold work of it that stands nowhere else.
    pub unkept: bool,
    /// Whether its last execution works, or worked, in a directory of the person's own: nothing is handed over from there.
    pub by_hand: bool,
    /// Its questions without an answer.
    pub open_questions: u32,
    /// Answers, comments and messages that no agent event has proven taken and that the execution at
    /// hand did not carry.
    pub unsaid: u32,
    /// Reports of ended subtasks that no agent event has proven taken.
    pub unsaid_reports: u32,
    /// Its subtasks that have not ended.
    pub open_subtasks: u32,
    /// Why nothing of its tree may run on, where the budget is used up.
    pub over_budget: Option<Fault>,
    /// Failed attempts since a person last acted.
    pub failures: u32,
    /// Executions lost in a row without an agent event.
    pub losses: u32,
    /// Refusals for now in a row.
    pub rate_limits: u32,
    /// When a failed attempt is tried again.
    pub retry: RetryPolicy,
    /// What a refusal for now leads to.
    pub on_rate_limit: OnRateLimit,
    /// What is demanded of a run before its work is handed over.
    pub demands: Demands,
    /// How the last execution stands to that.
    pub met: Met,
    /// How often the agent may mend what the `verify` command found; `None` where there is no command.
    pub verify_tries: Option<u32>,
    /// How often the agent may make its work go together with a branch that moved.
    pub conflict_tries: u32,
    /// How often it was to mend its work, since a person last acted.
    pub mendings: u32,
    /// Whether a person accepts the work.
    pub review: bool,
    /// Whether the work stands on a branch of its own until a person accepts it, and is to be merged then.
    pub unmerged: bool,
    /// Whether the agent hears of the end of its subtasks.
    pub resume_after_subtasks: bool,
    /// The time of the decision.
    pub now: Timestamp,
}
