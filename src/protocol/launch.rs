//! What a supervisor is started with: the plan in `executions/<n>/launch.json`, the secrets on its
//! standard input. The plan holds no secret, so that it may lie on disk.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};

use crate::{
    ids::{ExecutionNumber, Secret, TaskNumber, UniqueId},
    vocabulary::{AgentDescription, IsolationChoice, McpServer, Message, Permissions, SandboxRules, Usage},
};

/// The exit status of a supervisor that could not begin because the machine has run out of something.
pub const EXIT_LACKING: u8 = 71;

/// The first line of a supervisor's standard input.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchSecrets {
    /// What the supervisor proves itself with.
    pub supervisor_secret: Secret,
    /// What its agent's shim proves itself with; absent when only the finish step is due.
    pub token: Option<Secret>,
    /// The variables looked up for this launch (keys, endpoints, `--env`), by name.
    pub environment: BTreeMap<String, Secret>,
}

/// `executions/<n>/launch.json`: everything about one execution that is not secret. Paths are
/// relative to the state directory unless they are said to be absolute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LaunchPlan {
    /// The execution.
    pub execution: ExecutionNumber,
    /// The number of the last report the store has of it, of an earlier supervisor; 0 where it has none.
    #[serde(default)]
    pub reports: u64,
    /// The execution whose work stands in the sandbox until an agent of this one begins there.
    #[serde(default)]
    pub worked: Option<ExecutionNumber>,
    /// Its task.
    pub task: TaskNumber,
    /// The task's identity across state directories.
    pub task_id: UniqueId,
    /// The task's name.
    pub name: String,
    /// The agent program's name, such as `claude` or `scripted`.
    pub agent: String,
    /// Absolute path of the agent program where the configuration names one.
    pub program: Option<PathBuf>,
    /// How it is run, where callbox has no adapter of its own for it.
    #[serde(default)]
    pub description: Option<AgentDescription>,
    /// Its standing instructions where the configuration replaces callbox's.
    #[serde(default)]
    pub preamble: Option<String>,
    /// MCP servers of the person's own that the agent is given beside the shim.
    #[serde(default)]
    pub servers: Vec<McpServer>,
    /// Variables that such servers alone need: no process of the run but they is given them.
    #[serde(default)]
    pub withheld: Vec<String>,
    /// The model asked for.
    pub model: Option<String>,
    /// What the agent may do.
    pub permissions: Permissions,
    /// What the agent is to be held by.
    pub isolation: IsolationChoice,
    /// What an isolated agent may write to besides its own; absolute.
    pub caches: Vec<PathBuf>,
    /// What holds for a new sandbox.
    #[serde(default)]
    pub sandbox: SandboxRules,
    /// Options for the agent program, by name.
    pub options: BTreeMap<String, String>,
    /// The task's own variables; never secret.
    pub env: BTreeMap<String, String>,
    /// Where the agent works and how that place comes about.
    pub workplace: Workplace,
    /// Which conversation to hold.
    pub conversation: Conversation,
    /// The command that decides about the work before it is handed over; absent where none does, or
    /// where it has decided already.
    #[serde(default)]
    pub verify: Option<CommandPlan>,
    /// What a new sandbox gets of the project besides a clone, relative to the project's root.
    #[serde(default)]
    pub copy: Vec<PathBuf>,
    /// Folders of the project that a new sandbox has alone, relative to the project's root; empty where it has all.
    #[serde(default)]
    pub sparse: Vec<PathBuf>,
    /// Whether its submodules are filled from what the project has of them.
    #[serde(default)]
    pub submodules: bool,
    /// The command that is run once in a new sandbox before any agent works there.
    #[serde(default)]
    pub setup: Option<CommandPlan>,
    /// How the work is handed over when the run ends well.
    pub handover: Handover,
    /// Awake running time after which the run is ended.
    pub timeout_seconds: Option<u64>,
    /// Time without a word of the agent and without work in its processes after which the run is ended.
    #[serde(default)]
    pub idle_timeout_seconds: Option<u64>,
    /// What was used by the runs before this one in the conversation that it goes on with.
    #[serde(default)]
    pub used_before: Usage,
    /// Dollars that are left to the task's tree, where they are limited.
    #[serde(default)]
    pub cost_left_usd: Option<f64>,
    /// How long the run goes on without a store; for ever when absent.
    pub patience_seconds: Option<u64>,
}

/// A command that must return 0: one that sets a sandbox up, or decides whether the work is good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandPlan {
    /// What a shell is to run, in the directory in which the agent worked.
    pub command: String,
    /// Running time in seconds after which it is ended and has failed.
    pub limit_seconds: u64,
}

/// Where an agent works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Workplace {
    /// An empty directory of its own: the task has no project.
    Empty {
        /// The directory.
        directory: PathBuf,
    },
    /// A private clone of a project.
    Clone {
        /// The sandbox's directory.
        directory: PathBuf,
        /// Absolute path of the project's work tree.
        project: PathBuf,
        /// The commit, branch or reference of the project to start from.
        base: Base,
    },
    /// The directory in which a person started the agent by hand; absolute.
    Own {
        /// The directory.
        directory: PathBuf,
    },
}

/// What a sandbox starts from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Base {
    /// The commit the project's work tree stands on.
    Head,
    /// The project's work tree as it stands, with what is not committed and not ignored.
    Worktree,
    /// A branch, tag or commit of the project.
    Revision {
        /// Its name.
        name: String,
    },
    /// A commit in another sandbox (a parent's HEAD); `sandbox` is relative to the state directory.
    Sandbox {
        /// That sandbox's directory.
        sandbox: PathBuf,
        /// The commit pinned when the subtask was spawned; the sandbox's HEAD where none was.
        commit: Option<String>,
    },
    /// The delivered work of predecessors, in order; more than one is merged.
    After {
        /// Delivered commits in the project.
        heads: Vec<String>,
    },
    /// The task's own work of before, whose sandbox is gone. The new one is to be as that one was.
    More {
        /// The commit that the work started from.
        base: String,
        /// The commit in the project that it had come to.
        head: String,
        /// Where it was delivered last, if it was.
        delivered: Option<Standing>,
    },
}

/// Where a branch of callbox's was left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// Without `refs/heads/`.
    pub branch: String,
    /// The commit.
    pub head: String,
}

/// Which conversation an execution holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Conversation {
    /// A new one, opened with `message`.
    Fresh {
        /// The whole first message, in callbox's own words around the instructions.
        message: Message,
        /// The session id proposed to programs that let one be chosen.
        session: UniqueId,
    },
    /// The one named `session`, continued with `message` in the same directory.
    Resume {
        /// The agent program's own session id.
        session: String,
        /// What has not been said yet, in callbox's own words.
        message: Message,
        /// Opens a fresh conversation in the same directory instead, where the session is gone.
        retold: Message,
        /// Opens one in a directory that was made anew, where the old one is gone.
        moved: Message,
        /// The session id proposed then.
        fallback: UniqueId,
    },
    /// None: the agent's part is over and only the finish step is due.
    Finished,
}

/// Where the work of `execution` is kept in its project if that run has no good end. Numbers are per state
/// directory: where another one's work has the name, `-2` and so on is added.
pub fn kept_reference(execution: ExecutionNumber) -> String {
    format!("refs/callbox/{execution}")
}

/// How work is handed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Handover {
    /// A branch in the project.
    Branch {
        /// The wanted name, `callbox/<task number>-<slug>`.
        branch: String,
    },
    /// Merged into a branch of the project.
    Merge {
        /// The branch.
        into: String,
    },
    /// A patch in the execution's folder.
    Patch,
    /// Nothing is handed over.
    None,
}
