//! What a person or a program sees of a task: the JSON of `run`, `show`, `ls` and `questions`.
//!
//! A contract with scripts: absent things are `null`, never missing, and a change of shape raises
//! [`SCHEMA`].

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{
    ids::{ExecutionNumber, QuestionNumber, TaskNumber, Timestamp, UniqueId},
    vocabulary::{Budget, Deliver, Delivery, Denial, Exit, Fault, Isolation, Kept, Priority},
};

/// The version of these shapes.
pub const SCHEMA: u32 = 1;

/// One task, whole: `GET /v1/tasks/{task}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskReport {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The task itself.
    pub task: TaskHead,
    /// What was asked for.
    pub instructions: String,
    /// Where its work goes.
    pub deliver: Deliver,
    /// What its whole tree may use.
    pub budget: Budget,
    /// Its last execution.
    pub execution: Option<ExecutionReport>,
    /// What the agent reported, or its final message.
    pub summary: Option<String>,
    /// Questions of the whole tree, oldest first.
    pub questions: Vec<QuestionReport>,
    /// What a person said to its agent besides answers, oldest first.
    pub messages: Vec<MessageReport>,
    /// Direct subtasks, oldest first.
    pub subtasks: Vec<SubtaskReport>,
    /// What the last execution was denied.
    pub denied: Vec<Denial>,
    /// The last verification.
    pub verify: Option<VerifyReport>,
    /// What stands in the project.
    pub delivery: Option<Delivery>,
    /// The branch that the delivered work was merged into; absent where it stands on a branch of its own.
    pub merged_into: Option<String>,
    /// What is kept in the project of the last run, where that has no good end.
    pub kept: Option<Kept>,
    /// Why that could not be kept: it stands in the sandbox alone.
    pub not_kept: Option<String>,
    /// Absolute path of the sandbox; absent also where it was removed.
    pub sandbox: Option<PathBuf>,
    /// Whether `callbox gc` removed the sandbox and the logs of the last run.
    pub swept: bool,
    /// Sums over the tree.
    pub totals: Totals,
    /// Why the task did not end well.
    pub error: Option<Fault>,
    /// Every execution, oldest first (`show` alone prints them).
    pub executions: Vec<ExecutionReport>,
    /// Every signal, oldest first (`show` alone prints them).
    pub signals: Vec<SignalReport>,
}

/// What identifies a task and how it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskHead {
    /// `t12`.
    pub number: TaskNumber,
    /// UUIDv7.
    pub id: UniqueId,
    /// Its name.
    pub name: String,
    /// `pending`, `queued`, `running`, `blocked`, `ready`, `completed`, `failed`, `timed_out`,
    /// `cancelled` or `budget_exceeded`.
    pub state: String,
    /// What it waits for, in words.
    pub wait: Option<String>,
    /// Absolute path of its project.
    pub project: Option<PathBuf>,
    /// The agent program's name, or `any`.
    pub agent: String,
    /// The agent program that `any` came to in its last execution; absent where the task names one, or none was picked.
    #[serde(default)]
    pub picked_agent: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// The tag of the comparison it is part of; absent where it is none.
    #[serde(default)]
    pub comparison: Option<String>,
    /// The task that spawned it.
    pub parent: Option<TaskNumber>,
    /// The branch it delivered.
    pub branch: Option<String>,
}

/// One execution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExecutionReport {
    /// `x31`.
    pub number: ExecutionNumber,
    /// Counts the runs that count against `retry`, from 1.
    pub attempt: u32,
    /// `succeeded`, `failed`, `blocked`, …; `null` while it runs.
    pub outcome: Option<String>,
    /// The agent program's name.
    pub agent: String,
    /// Its version, as it said itself.
    pub agent_version: Option<String>,
    /// The model, as the program named it.
    pub model: Option<String>,
    /// `subscription`, or the name of the variable that held the key.
    pub credential: Option<String>,
    /// What its agent is or was held by; `null` where none was started yet.
    pub isolation: Option<Isolation>,
    /// When it ends by itself, where no process of callbox's is or was with its agent.
    pub unbound_until: Option<Timestamp>,
    /// The agent program's own session id.
    pub session_id: Option<String>,
    /// What the agent does now; `null` where it does not run.
    pub activity: Option<String>,
    /// How the agent's process ended.
    pub exit: Option<Exit>,
    /// Why it did not end well.
    pub error: Option<Fault>,
    /// When the supervisor began.
    pub started_at: Option<Timestamp>,
    /// When the run had ended.
    pub ended_at: Option<Timestamp>,
    /// Dollars of this execution alone.
    pub cost_usd: Option<f64>,
    /// Tokens read.
    pub tokens_in: Option<u64>,
    /// Tokens written.
    pub tokens_out: Option<u64>,
}

/// One question: also `GET /v1/questions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionReport {
    /// `q7`.
    pub number: QuestionNumber,
    /// Whose it is.
    pub task: TaskNumber,
    /// That task's name.
    pub task_name: String,
    /// That task's project.
    pub project: Option<PathBuf>,
    /// The question.
    pub question: String,
    /// Answers to choose from.
    pub options: Vec<String>,
    /// What the agent added.
    pub context: Option<String>,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// `open`, `answered` or `withdrawn`.
    pub state: String,
    /// The answer.
    pub answer: Option<String>,
}

/// One thing that a person said to an agent besides answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageReport {
    /// `message`, or `rejection` where it came with `callbox reject`.
    pub kind: String,
    /// The words.
    pub text: String,
    /// The person's peer that gave it.
    pub actor: Option<String>,
    /// When it came.
    pub at: Timestamp,
    /// `waiting`; `handed` to `execution`, which nothing proves to have taken it; `taken` by it; or `unheard`, where
    /// the task has ended without a proof: should it go on, its next run is told.
    pub state: String,
    /// The execution that was given it last.
    pub execution: Option<ExecutionNumber>,
    /// When an event of the agent proved that it was taken.
    pub taken_at: Option<Timestamp>,
}

/// One subtask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubtaskReport {
    /// `t13`.
    pub number: TaskNumber,
    /// Its name.
    pub name: String,
    /// Its state.
    pub state: String,
    /// What its agent reported.
    pub summary: Option<String>,
    /// The branch it delivered.
    pub branch: Option<String>,
}

/// The result of the `verify` command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyReport {
    /// The command.
    pub command: String,
    /// How it ended.
    pub exit: Exit,
    /// The last 4 KiB of its output.
    pub tail: String,
}

/// Sums over a tree of tasks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Dollars, of those executions that report any.
    pub cost_usd: Option<f64>,
    /// Tokens read.
    pub tokens_in: Option<u64>,
    /// Tokens written.
    pub tokens_out: Option<u64>,
    /// How many executions there were.
    pub executions: u32,
    /// Wall-clock seconds during which executions ran, summed.
    pub seconds: f64,
}

/// One thing an agent said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SignalReport {
    /// In which execution.
    pub execution: ExecutionNumber,
    /// Its place there, from 1.
    pub seq: u32,
    /// The tool's name.
    pub tool: String,
    /// The checked arguments.
    pub arguments: serde_json::Value,
    /// When it was recorded.
    pub at: Timestamp,
}

/// One line of `ls`: `GET /v1/tasks`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskLine {
    /// `t12`.
    pub number: TaskNumber,
    /// UUIDv7.
    pub id: UniqueId,
    /// Its name.
    pub name: String,
    /// Its state.
    pub state: String,
    /// What it waits for, in words.
    pub wait: Option<String>,
    /// The agent program's name, or `any`.
    pub agent: String,
    /// The agent program that `any` came to in its last execution; absent where the task names one, or none was picked.
    #[serde(default)]
    pub picked_agent: Option<String>,
    /// Absolute path of its project.
    pub project: Option<PathBuf>,
    /// Which waiting task goes first.
    pub priority: Priority,
    /// Its tags.
    pub tags: Vec<String>,
    /// The tag of the comparison it is part of; absent where it is none.
    #[serde(default)]
    pub comparison: Option<String>,
    /// The task that spawned it.
    pub parent: Option<TaskNumber>,
    /// The branch it delivered.
    pub branch: Option<String>,
    /// What its agent does now.
    pub activity: Option<String>,
    /// Dollars of its own executions.
    pub cost_usd: Option<f64>,
    /// Its questions without an answer.
    pub questions: u32,
    /// When it was submitted.
    pub created_at: Timestamp,
    /// When its state last changed.
    pub updated_at: Timestamp,
}
