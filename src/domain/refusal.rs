//! Why an act on a task is refused, in words for the person who tried.

use crate::ids::TaskNumber;

/// A refusal of the state machine. Every one says what the task is instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Only a task that was held back can be started.
    #[error("the task is {0}, not held back")]
    NotPending(&'static str),
    /// Only a queued task can be claimed.
    #[error("the task is {0}, not queued")]
    NotQueued(&'static str),
    /// The execution that reports is not the one at work.
    #[error("no execution is at work on the task: it is {0}")]
    NotRunning(&'static str),
    /// The agent's part is already over.
    #[error("the work is already being delivered")]
    AlreadyDelivering,
    /// Nobody is with the agent who could report its end.
    #[error("nobody is with the agent of the task who could report its end")]
    IsUnbound,
    /// Only a run that nobody is with can be closed.
    #[error("the task has no open run of an agent that was configured by hand: it is {0}")]
    NotUnbound(&'static str),
    /// There is nothing to deliver yet.
    #[error("the agent is still at work")]
    NotDelivering,
    /// No command decides about the work now.
    #[error("the work is not being verified")]
    NotVerifying,
    /// The end is decided, and only the work is still to be kept.
    #[error("the task has ended and what its agent left is being kept; it takes a moment")]
    BeingKept,
    /// Cancel comes too late.
    #[error("the work is being delivered; it can't be cancelled any more")]
    BeingDelivered,
    /// Nothing is left to run on.
    #[error(
        "the task has used up its budget; `callbox resume` with `--max-cost-usd DOLLARS` or `--max-tokens NUMBER` raises it"
    )]
    OverBudget,
    /// A running task can't be resumed.
    #[error("the task is running")]
    IsRunning,
    /// A task held back must be started.
    #[error("the task is held back; `callbox start` lets it run")]
    IsPending,
    /// A person must answer first.
    #[error("the task waits for an answer; `callbox questions` shows what it asks")]
    WaitsForAnswer,
    /// Subtasks must end first.
    #[error("the task waits for its subtasks; it goes on by itself when the last has ended")]
    WaitsForSubtasks,
    /// A person must decide about the work first.
    #[error(
        "the task waits for a review; `callbox accept` completes it, `callbox reject` lets its agent go on"
    )]
    WaitsForReview,
    /// Only work that is ready can be accepted or rejected.
    #[error("the task is {0}, so there is no work to review")]
    NotReady(&'static str),
    /// Whoever has ended hears nothing.
    #[error("the task is {0}, and no run of it is to come that would hear a message")]
    HasEnded(&'static str),
    /// Whoever is being ended hears nothing more.
    #[error("the task is being ended, and no run of it is to come that would hear a message")]
    IsBeingEnded,
    /// A retry begins from an end.
    #[error("the task is {0}; only an ended task can be tried again")]
    NotEnded(&'static str),
}

impl Refusal {
    /// What to do about it with `task`, where the words do not say it already.
    pub fn advice(self, task: TaskNumber) -> Option<String> {
        match self {
            Self::HasEnded(_) => {
                Some(format!("`callbox resume {task} TEXT` says it and goes on in the same conversation"))
            }
            Self::IsBeingEnded => {
                Some(format!("`callbox resume {task} TEXT` says it once the task has ended"))
            }
            _ => None,
        }
    }
}
