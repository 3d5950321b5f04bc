//! The states of a task, each with exactly the data that is valid in it.

use serde::{Deserialize, Serialize};

use crate::{
    ids::{ExecutionNumber, TaskNumber, Timestamp},
    vocabulary::{Fault, StopReason},
};

/// Where a task stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum TaskState {
    /// Held back until a person starts it.
    Pending,
    /// Will run as soon as what it waits for is there.
    Queued {
        /// What it waits for besides its turn.
        wait: Wait,
        /// How its next execution begins.
        start: Start,
    },
    /// One execution works on it.
    Running {
        /// Which.
        execution: ExecutionNumber,
        /// How far it is.
        phase: Phase,
    },
    /// How it ended is decided for good, and what its agent left is being kept in the project first.
    Keeping {
        /// The execution under whose number it is kept.
        execution: ExecutionNumber,
        /// The end to be; never [`End::Completed`].
        end: End,
    },
    /// Nothing runs; something outside must happen first.
    Blocked {
        /// What.
        on: BlockedOn,
    },
    /// Delivered, and a person decides.
    Ready,
    /// Over, until a person says otherwise.
    Ended {
        /// How.
        end: End,
    },
}

/// What a queued task waits for besides dependencies and a free slot, which are looked up when they
/// are needed rather than stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "for", rename_all = "snake_case")]
pub enum Wait {
    /// Only its turn.
    Turn,
    /// The provider, which refused for now.
    RateLimit {
        /// When it is asked again.
        until: Timestamp,
    },
    /// The delay before another attempt.
    Retry {
        /// When it is over.
        until: Timestamp,
    },
    /// A login that the provider accepts.
    Auth,
}

/// How the next execution begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// A new conversation in a new sandbox.
    Fresh,
    /// The same conversation in the same directory, where there are any.
    Continue,
}

/// How far a running execution is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum Phase {
    /// The agent works.
    Agent,
    /// An agent works that a person started where no process of callbox's is with it: nobody sees it end, and nobody
    /// can end it.
    Unbound,
    /// The agent was told to end.
    Stopping {
        /// Why.
        reason: StopReason,
    },
    /// The agent is ended without grace.
    Killing {
        /// Why.
        reason: StopReason,
    },
    /// The agent is gone and a command decides about its work.
    Verifying,
    /// The agent is gone and its work is being handed over.
    Delivering,
    /// A person accepted the work, which stands on a branch of its own until then, and it is being merged.
    Merging,
}

impl Phase {
    /// Whether the task goes on behind this phase: its agent works, or the turn of its agent
    /// is only being ended for a message.
    pub fn goes_on(self) -> bool {
        match self {
            Self::Agent | Self::Unbound => true,
            Self::Stopping { reason } | Self::Killing { reason } => reason == StopReason::Told,
            Self::Verifying | Self::Delivering | Self::Merging => false,
        }
    }
}

/// What a blocked task waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockedOn {
    /// An answer.
    Question,
    /// The end of its subtasks.
    Subtasks,
}

/// How a task ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "as", rename_all = "snake_case")]
pub enum End {
    /// A succeeded execution, delivered and accepted.
    Completed,
    /// Something failed.
    Failed {
        /// What.
        fault: Fault,
    },
    /// The time limit was reached.
    TimedOut {
        /// The limit, in words.
        fault: Fault,
    },
    /// A person cancelled it.
    Cancelled,
    /// The budget of its tree was used up.
    BudgetExceeded {
        /// Which budget.
        fault: Fault,
    },
}

impl TaskState {
    /// A queued task that waits for its turn only.
    pub fn queued(start: Start) -> Self {
        Self::Queued { wait: Wait::Turn, start }
    }

    /// The name that commands, JSON and the database use.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Queued { .. } => "queued",
            Self::Running { .. } | Self::Keeping { .. } => "running",
            Self::Blocked { .. } => "blocked",
            Self::Ready => "ready",
            Self::Ended { end } => end.name(),
        }
    }

    /// Whether only a person's act can move the task again.
    pub fn is_end(&self) -> bool {
        matches!(self, Self::Ended { .. })
    }

    /// Whether the task is completed.
    pub fn is_completed(&self) -> bool {
        matches!(self, Self::Ended { end: End::Completed })
    }

    /// The execution at work, if one is.
    pub fn execution(&self) -> Option<ExecutionNumber> {
        match self {
            Self::Running { execution, .. } | Self::Keeping { execution, .. } => Some(*execution),
            _ => None,
        }
    }

    /// How the task ended, or will once what its agent left is kept.
    pub fn decided_end(&self) -> Option<&End> {
        match self {
            Self::Ended { end } | Self::Keeping { end, .. } => Some(end),
            _ => None,
        }
    }

    /// Why the task did not end well, where it did not.
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Ended { end } => end.fault(),
            _ => None,
        }
    }
}

impl End {
    /// Why it is no good end, where it is none and that was not a person's wish.
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Failed { fault } | Self::TimedOut { fault } | Self::BudgetExceeded { fault } => Some(fault),
            Self::Completed | Self::Cancelled => None,
        }
    }

    /// The name that commands, JSON and the database use.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed { .. } => "failed",
            Self::TimedOut { .. } => "timed_out",
            Self::Cancelled => "cancelled",
            Self::BudgetExceeded { .. } => "budget_exceeded",
        }
    }
}

/// The fault of a task whose predecessor did not complete.
pub(super) fn dependency_fault(dependency: TaskNumber, state: &str) -> Fault {
    Fault::new("dependency", format!("task `{dependency}`, which must be completed first, is {state}"))
        .hinted(format!("`callbox show {dependency}` says why; `callbox resume {dependency}` takes that up again, and `callbox resume` of this one goes behind it"))
}
