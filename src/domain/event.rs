//! What can happen to a task.

use crate::{
    ids::{ExecutionNumber, TaskNumber},
    vocabulary::{ClosedBy, Ending, Fault, SummaryOutcome},
};

/// When a message is to be heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// At the next chance: with a tool's result, else at the end of the turn.
    NextChance,
    /// At once: the turn is ended for it.
    Now,
}

/// One event, with all that a decision needs and the task itself does not say.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskEvent {
    /// A person starts a task that was held back.
    Start,
    /// The scheduler gives the task a slot and this execution.
    Claim {
        /// The new execution.
        execution: ExecutionNumber,
    },
    /// A person is given this execution for an agent that they start where no process of callbox's is with it.
    Opened {
        /// The new execution.
        execution: ExecutionNumber,
    },
    /// Such an execution is closed, and its signals are folded.
    Closed {
        /// By whom.
        by: ClosedBy,
        /// What the agent said of its work, if it reported.
        reported: Option<SummaryOutcome>,
    },
    /// A predecessor ended other than completed.
    DependencyFailed {
        /// Which.
        dependency: TaskNumber,
        /// As what.
        state: &'static str,
    },
    /// The budget of the task's tree is used up.
    BudgetSpent,
    /// What may be spent on this day is spent.
    DaySpent,
    /// No supervisor took the execution up.
    NeverStarted,
    /// The agent's process tree is gone, and its signals are folded.
    AgentEnded {
        /// What the supervisor found.
        ending: Box<Ending>,
        /// What the agent said of its work, if it reported.
        reported: Option<SummaryOutcome>,
    },
    /// The supervisor is gone, and whatever was left of its process tree.
    Lost {
        /// Whether an agent event had been seen in this run.
        turn_taken: bool,
    },
    /// The machine was started anew since, which ended the supervisor and its process tree.
    MachineRestarted,
    /// The command that decides about the work is about to be run; once more where the work had to be put on top of
    /// another commit.
    ToVerify,
    /// The command that decides about the work found nothing wrong with it.
    Verified,
    /// It did; what it found is among what is recorded of the execution.
    NotVerified {
        /// What, in a sentence.
        fault: Fault,
    },
    /// The work does not go together with the branch it is to be merged into; what is in conflict is among what is
    /// recorded of the execution.
    Conflicted {
        /// What, in a sentence.
        fault: Fault,
    },
    /// The finish step was ended before anything was handed over, as the store wanted.
    FinishStopped,
    /// The finish step is done.
    Delivered,
    /// The finish step failed.
    DeliveryFailed {
        /// Why.
        fault: Fault,
    },
    /// What the agent of a run without a good end left stands in the project, or it is known why not.
    Kept,
    /// A question was answered; the answer is among what is to be said.
    Answered,
    /// A question was withdrawn because nobody will answer it.
    Dismissed {
        /// How the agent's part of the last run ended; absent where that run was lost.
        ending: Option<Box<Ending>>,
        /// What the agent said of its work in it, if it reported.
        reported: Option<SummaryOutcome>,
    },
    /// A person said something to the agent; the message is among what is to be said.
    Told {
        /// When it is to be heard.
        urgency: Urgency,
    },
    /// A subtask ended; its report is among what is to be said.
    SubtaskEnded,
    /// A person cancels.
    Cancel,
    /// A person cancels without grace.
    Kill,
    /// A person takes the task up again; a message, if any, is among what is to be said.
    Resume,
    /// A person wants the task done anew.
    Retry {
        /// In which conversation.
        start: super::Start,
    },
    /// A person accepts the work.
    Accept,
    /// A person rejects the work; the comment is among what is to be said.
    Reject,
}
