//! The operator plane's requests: what a person asks of the store.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    ids::{ExecutionNumber, QuestionNumber, Secret, TaskNumber, Timestamp},
    vocabulary::{Budget, Message, TaskSpec},
};

/// `POST /v1/tasks`: queue tasks, all or none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubmitRequest {
    /// In an order in which `after` only looks back.
    pub tasks: Vec<NewTask>,
    /// Values for this store to launch them with: PATH, HOME, the agents' own variables, `--env`.
    /// Held in memory, never written.
    pub environment: BTreeMap<String, Secret>,
    /// Whether they wait for `callbox start`.
    pub hold: Hold,
}

/// Whether a submitted task may run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// As soon as it can.
    #[default]
    No,
    /// Only once a person starts it.
    Yes,
}

/// One task to queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewTask {
    /// What is asked for.
    pub spec: TaskSpec,
    /// Tasks that must be completed first.
    pub after: Vec<After>,
}

/// A predecessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum After {
    /// An existing task.
    Task(TaskNumber),
    /// The task at this place (from 0) of the same request, before the one that names it.
    Place(usize),
}

/// The answer to `POST /v1/tasks`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmitReply {
    /// The new numbers, in the order of the request.
    pub tasks: Vec<TaskNumber>,
    /// Whether the store stays and runs them by itself.
    pub resident: bool,
}

/// `POST /v1/tasks/{task}/resume`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResumeRequest {
    /// What to say to the agent.
    pub message: Option<String>,
    /// New limits for the task's whole tree.
    #[serde(default)]
    pub budget: Budget,
    /// Values for this store to launch the task with, as in [`SubmitRequest`].
    #[serde(default)]
    pub environment: BTreeMap<String, Secret>,
}

/// `POST /v1/tasks/{task}/project`: the project of the task's tree stands elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectRequest {
    /// Absolute path of the work tree.
    pub project: std::path::PathBuf,
}

/// `POST /v1/tasks/{task}/{cancel|start|accept|reject}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActRequest {
    /// What to say to the agent, where the act says anything.
    pub message: Option<String>,
    /// Values for this store to launch the task with, as in [`SubmitRequest`].
    #[serde(default)]
    pub environment: BTreeMap<String, Secret>,
}

/// `POST /v1/tasks/{task}/tell`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TellRequest {
    /// What to say to the agent: 1–20,000 characters.
    pub message: String,
    /// When it is to be heard.
    pub when: TellWhen,
    /// Values for this store to launch the task with, as in [`SubmitRequest`].
    pub environment: BTreeMap<String, Secret>,
}

/// When a message is to be heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TellWhen {
    /// With the next tool result, else at the end of the agent's turn.
    NextChance,
    /// At once: the agent's turn is ended for it.
    Now,
}

/// The answer to an act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActReply {
    /// The task acted on.
    pub task: TaskNumber,
    /// Its state now, such as `queued`.
    pub state: String,
    /// One sentence: what happened, or why nothing did.
    pub message: String,
}

/// `POST /v1/tasks/{task}/retry`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetryRequest {
    /// Where it is done anew.
    pub conversation: RetryIn,
    /// Values for this store to launch the task with, as in [`SubmitRequest`].
    pub environment: BTreeMap<String, Secret>,
}

/// Where a task is done anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryIn {
    /// In the conversation and the sandbox it had.
    SameConversation,
    /// In new ones, from the task's own base.
    FreshConversation,
}

/// `POST /v1/questions/{question}/answer`; `…/dismiss` takes an [`ActRequest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerRequest {
    /// The answer.
    pub answer: AnswerText,
    /// Values for this store to launch the task with, as in [`SubmitRequest`].
    #[serde(default)]
    pub environment: BTreeMap<String, Secret>,
}

/// An answer in words or by choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerText {
    /// 1–20,000 characters.
    Text(String),
    /// The option at this place, from 1.
    Option(usize),
}

/// The answer to an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerReply {
    /// The question.
    pub question: QuestionNumber,
    /// Its task.
    pub task: TaskNumber,
    /// The task's state now.
    pub state: String,
    /// One sentence: what happens next.
    pub message: String,
}

/// `GET /v1/tasks/{task}/why`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhyReply {
    /// What the task waits for and which command moves it, in one sentence.
    pub sentence: String,
}

/// `POST /v1/attach`: a task for a command that a person starts by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttachRequest {
    /// A name for a new task; the command's name when absent.
    pub name: String,
    /// Go on with this task instead of making one.
    pub task: Option<TaskNumber>,
    /// Absolute path of the directory the command runs in.
    pub directory: std::path::PathBuf,
}

/// The answer to `POST /v1/attach`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachReply {
    /// The execution, already started.
    pub execution: ExecutionNumber,
    /// Its task.
    pub task: TaskNumber,
    /// What the command's shim proves itself with.
    pub token: Secret,
    /// What the caller reports the end with, on the supervisor plane.
    pub supervisor_secret: Secret,
    /// What has not been said yet, such as answers to questions of earlier runs: for the person to read.
    pub messages: Vec<String>,
    /// The same for the command's agent, in callbox's own words around it and behind the task's instructions, if it
    /// has any; absent where there is nothing to say.
    pub opening: Option<Message>,
}

/// `POST /v1/backup`: a copy of the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupRequest {
    /// Where to; absolute, and nothing stands there.
    pub file: std::path::PathBuf,
}

/// The answer to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupReply {
    /// The copy.
    pub file: std::path::PathBuf,
    /// Its size.
    pub bytes: u64,
}

/// `POST /v1/unbound`: a task for an agent that a person configures by hand, with no process of callbox's beside it.
/// `POST /v1/tasks/{task}/end` closes its run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenRequest {
    /// A name for a new task.
    pub name: String,
    /// Go on with this task instead of making one.
    pub task: Option<TaskNumber>,
    /// Absolute path of the directory the person stands in.
    pub directory: std::path::PathBuf,
}

/// The answer to `POST /v1/unbound`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenReply {
    /// The execution, already started.
    pub execution: ExecutionNumber,
    /// Its task.
    pub task: TaskNumber,
    /// What the agent's shim proves itself with.
    pub token: Secret,
    /// When it ends by itself.
    pub until: Timestamp,
    /// What has not been said yet, such as answers to questions of earlier runs: for the person to read.
    pub messages: Vec<String>,
    /// The same for the agent, behind the task's instructions, if it has any: for the person to give to it. Absent where
    /// there is nothing to say.
    pub opening: Option<Message>,
}
