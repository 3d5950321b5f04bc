//! What a person asks for: every field of a task, with its default.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::{AgentOption, budget::Budget, isolation::IsolationChoice};

/// The agent of a task whose command a person starts by hand: no store can go on with it.
pub const ATTACHED: &str = "attached";

/// What a task is said to wait for whose agent no process of callbox's is with: that a person ends its run.
pub const UNBOUND_WAIT: &str = "end (unbound)";
/// What a task waits for where no store runs it, or stays for what its run says.
pub const STORE_WAIT: &str = "no store running";

/// What an agent may do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Permissions {
    /// Read the sandbox.
    Read,
    /// Change the sandbox and run commands there.
    #[default]
    Edit,
    /// Whatever the agent program can do.
    Full,
}

impl Permissions {
    /// As task files say it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edit => "edit",
            Self::Full => "full",
        }
    }
}

/// Which of the tasks that could start goes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// After all others.
    Low,
    /// In order of age.
    #[default]
    Normal,
    /// Before all others.
    High,
}

/// Where the work goes when the run ended well.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deliver {
    /// A branch in the project.
    #[default]
    Branch,
    /// Merged into the branch that the work starts from.
    Merge,
    /// A file that `git am` takes; nothing is written into the project unless the run ends badly, when its
    /// work is kept there.
    Patch,
    /// Nowhere: it stays in the sandbox.
    None,
}

/// What a task does when its provider refuses for now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnRateLimit {
    /// Wait until the provider serves again.
    #[default]
    Wait,
    /// Fail.
    Fail,
}

/// What the sandbox starts from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BaseChoice {
    /// The commit the project's work tree stands on when the run starts.
    #[default]
    Head,
    /// The project's work tree when the run starts, with what is not committed and not ignored.
    Worktree,
    /// The delivered work of the tasks in `after`.
    After,
    /// A branch, tag or commit of the project.
    Revision(String),
}

/// How often and when a failed run is tried again, in the same conversation where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetryPolicy {
    /// Attempts in all, from 1.
    pub max_attempts: u32,
    /// Seconds before the second attempt.
    pub delay_seconds: u64,
    /// By how much the delay grows with each further attempt, from 1.
    pub backoff: u32,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { max_attempts: 1, delay_seconds: 10, backoff: 2 }
    }
}

/// How long a run may be idle where nobody says otherwise, in seconds.
const IDLE_TIMEOUT: u64 = 15 * 60;

/// How long the command that sets a sandbox up may run where nobody says otherwise, in seconds.
fn setup_timeout() -> u64 {
    10 * 60
}

/// A task as a person asked for it. Names of `after` are resolved and the project is absolute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskSpec {
    /// At most 200 characters, one line.
    pub name: String,
    /// What the agent is to do; 1–200,000 characters.
    pub instructions: String,
    /// Absolute path of a git work tree.
    pub project: Option<PathBuf>,
    /// What the sandbox starts from.
    pub base: BaseChoice,
    /// The agent program's name, or [`ANY`](super::ANY).
    pub agent: String,
    /// Those that `any` may stand for, of this task or of its subtasks.
    #[serde(default)]
    pub agents: Vec<AgentOption>,
    /// The tag of the comparison it is part of: tasks of one text and one base, one for each of several agents.
    #[serde(default)]
    pub comparison: Option<String>,
    /// The model to ask for.
    pub model: Option<String>,
    /// What the agent may do.
    pub permissions: Permissions,
    /// What its agents are held by.
    pub isolation: IsolationChoice,
    /// Options for the agent program, by name.
    pub options: BTreeMap<String, String>,
    /// Variables for the agent. Stored, so never a secret.
    pub env: BTreeMap<String, String>,
    /// Names of variables whose values are looked up at each launch and never stored.
    pub env_names: Vec<String>,
    /// Which of the waiting tasks goes first.
    pub priority: Priority,
    /// Free words to find tasks by.
    pub tags: Vec<String>,
    /// Files and folders of the project that are copied into a new sandbox, relative to its root.
    #[serde(default)]
    pub copy: Vec<PathBuf>,
    /// Folders of the project that a new sandbox has alone, relative to its root; empty where it has all.
    #[serde(default)]
    pub sparse: Vec<PathBuf>,
    /// Whether submodules are filled from what the project has of them.
    #[serde(default)]
    pub submodules: bool,
    /// A command that is run once in each new sandbox, before any agent works there.
    #[serde(default)]
    pub setup: Option<String>,
    /// Running time of that command, in seconds.
    #[serde(default = "setup_timeout")]
    pub setup_timeout_seconds: u64,
    /// Awake running time of one execution, in seconds.
    pub timeout_seconds: Option<u64>,
    /// Seconds without output and without work in the process tree; no limit where absent.
    pub idle_timeout_seconds: Option<u64>,
    /// When a failed run is tried again.
    pub retry: RetryPolicy,
    /// What happens when the provider refuses for now.
    pub on_rate_limit: OnRateLimit,
    /// Dollars for the whole tree of subtasks.
    pub max_cost_usd: Option<f64>,
    /// Tokens for the whole tree of subtasks.
    pub max_tokens: Option<u64>,
    /// Whether a person accepts the work before the task is completed.
    pub review: bool,
    /// Where the work goes.
    pub deliver: Deliver,
    /// The branch that it is merged into, where it is: the one it starts from, or that was checked out when it was
    /// submitted.
    #[serde(default)]
    pub merge_into: Option<String>,
    /// A command that decides whether the work is good.
    pub verify: Option<String>,
    /// How often the agent may mend what `verify` found.
    pub verify_tries: u32,
    /// Whether a run without `report_summary` fails.
    pub require_summary: bool,
    /// Whether a run without a change fails.
    pub require_changes: bool,
    /// Whether the agent is told when its subtasks have ended.
    pub resume_after_subtasks: bool,
}

impl TaskSpec {
    /// What the task and its subtasks may use. Only that of the root of a tree counts.
    pub fn budget(&self) -> Budget {
        Budget { max_cost_usd: self.max_cost_usd, max_tokens: self.max_tokens }
    }

    /// Sets it.
    pub fn set_budget(&mut self, budget: Budget) {
        (self.max_cost_usd, self.max_tokens) = (budget.max_cost_usd, budget.max_tokens);
    }

    /// A task with `instructions` for `agent` and the default of every other field; its name is the
    /// first line of the instructions.
    pub fn new(agent: impl Into<String>, instructions: impl Into<String>) -> Self {
        let instructions = instructions.into();
        Self {
            name: name_from(&instructions),
            instructions,
            project: None,
            base: BaseChoice::default(),
            agent: agent.into(),
            agents: Vec::new(),
            comparison: None,
            model: None,
            permissions: Permissions::default(),
            isolation: IsolationChoice::default(),
            options: BTreeMap::new(),
            env: BTreeMap::new(),
            env_names: Vec::new(),
            priority: Priority::default(),
            tags: Vec::new(),
            copy: Vec::new(),
            sparse: Vec::new(),
            submodules: false,
            setup: None,
            setup_timeout_seconds: setup_timeout(),
            timeout_seconds: None,
            idle_timeout_seconds: Some(IDLE_TIMEOUT),
            retry: RetryPolicy::default(),
            on_rate_limit: OnRateLimit::default(),
            max_cost_usd: None,
            max_tokens: None,
            review: false,
            deliver: Deliver::default(),
            merge_into: None,
            verify: None,
            verify_tries: 2,
            require_summary: false,
            require_changes: false,
            resume_after_subtasks: true,
        }
    }
}

fn name_from(instructions: &str) -> String {
    let line = instructions.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("task");
    line.chars().filter(|letter| !letter.is_control()).take(60).collect()
}

/// The part of a branch name that comes from a task's name: lower-case ASCII letters and digits,
/// single hyphens between, 1–40 characters.
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    for letter in name.chars() {
        if slug.len() >= 40 {
            break;
        }
        if letter.is_ascii_alphanumeric() {
            slug.push(letter.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "task".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_safe_in_a_branch_name_whatever_the_name_was() {
        for (name, expected) in [
            ("Mend the parser", "mend-the-parser"),
            ("../../etc/passwd", "etc-passwd"),
            ("\u{1b}[31mred\u{1b}[0m", "31mred-0m"),
            ("日本", "task"),
            ("", "task"),
        ] {
            assert_eq!(slug(name), expected);
        }
        assert!(slug(&"x".repeat(500)).len() <= 40);
    }

    #[test]
    fn a_task_without_a_name_is_called_by_its_first_line() {
        assert_eq!(TaskSpec::new("scripted", "\n  - progress: x\n- y").name, "- progress: x");
    }
}
