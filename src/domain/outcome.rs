//! How an execution ended.

use serde::{Deserialize, Serialize};

use crate::vocabulary::{AgentEnd, ClosedBy, StopReason};

/// The end of one execution. Nothing defaults to success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The agent ended well and its work was handed over, or there was more to say to it.
    Succeeded,
    /// The agent, its provider, its wiring, the verification or the delivery failed.
    Failed,
    /// It ended with a question open.
    Blocked,
    /// The time limit was reached.
    TimedOut,
    /// A person cancelled.
    Cancelled,
    /// The budget was used up.
    BudgetExceeded,
    /// The provider refused for now.
    RateLimited,
    /// The provider refused the login.
    Auth,
    /// The store stayed away, the agent was ended to hear an answer, or a person closed its run before it heard one.
    Interrupted,
    /// Its supervisor is gone.
    Lost,
}

impl Outcome {
    /// The outcome of a run whose agent ended as `end`, where no question and no cancel decides.
    pub(super) fn of(end: &AgentEnd) -> Self {
        match end {
            AgentEnd::Finished => Self::Succeeded,
            AgentEnd::Failed { .. } | AgentEnd::Unavailable { .. } => Self::Failed,
            AgentEnd::RateLimited { .. } => Self::RateLimited,
            AgentEnd::Auth { .. } => Self::Auth,
            AgentEnd::TimedOut { .. } | AgentEnd::Idle { .. } | AgentEnd::Closed { by: ClosedBy::Time } => {
                Self::TimedOut
            }
            AgentEnd::Stopped { reason: StopReason::Cancelled } => Self::Cancelled,
            AgentEnd::Spent { .. } | AgentEnd::Stopped { reason: StopReason::Budget } => Self::BudgetExceeded,
            AgentEnd::Stopped { reason: StopReason::Asked | StopReason::Told }
            | AgentEnd::Interrupted
            | AgentEnd::Closed { by: ClosedBy::Person } => Self::Interrupted,
        }
    }

    /// The name that JSON and the database use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
            Self::BudgetExceeded => "budget_exceeded",
            Self::RateLimited => "rate_limited",
            Self::Auth => "auth",
            Self::Interrupted => "interrupted",
            Self::Lost => "lost",
        }
    }
}
