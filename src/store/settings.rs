//! What a store is told when it opens.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use crate::{
    domain::Caps,
    vocabulary::{AgentSetup, NotifyCommand, Quotas, SandboxRules},
};

/// The configuration of one store.
#[derive(Debug, Clone)]
pub struct StoreSettings {
    /// How much goes on at once and on one day.
    pub quotas: Quotas,
    /// How far trees of tasks may grow.
    pub caps: Caps,
    /// Agents that subtasks may use besides their parent's and `scripted`.
    pub subtask_agents: Vec<String>,
    /// How agent programs are launched, by name.
    pub agents: BTreeMap<String, AgentSetup>,
    /// The standing instructions of agents without any of their own, in the place of callbox's.
    pub preamble: Option<String>,
    /// What isolated agents may write to besides their own; absolute.
    pub caches: Vec<PathBuf>,
    /// What holds for every new sandbox.
    pub sandbox: SandboxRules,
    /// A file of `NAME=value` lines in which variables are looked up last.
    pub env_file: Option<PathBuf>,
    /// What is told what happens, where anything is.
    pub notify: Option<NotifyCommand>,
    /// The pause between two removals of what ended tasks left, by a store that stays; none by itself where absent.
    pub gc_every: Option<Duration>,
    /// Whether the store stays by itself.
    pub residency: Residency,
}

/// Whether a store stays, and what that means for the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Residency {
    /// `callbox serve`: runs every task there is, and its supervisors wait for it for ever.
    Resident,
    /// Hosted by a command for its own use: runs only the trees that its clients follow.
    Hosted {
        /// How long its supervisors go on without a store.
        patience: Duration,
    },
}

impl Residency {
    /// How long a supervisor goes on without a store; for ever when absent.
    pub(super) fn patience(self) -> Option<Duration> {
        match self {
            Self::Resident => None,
            Self::Hosted { patience } => Some(patience),
        }
    }
}
