//! How a run ended: the agent's part first, then the finish step.

use serde::{Deserialize, Serialize};

use super::conflict::Conflict;
use super::work::{Delivery, Denial, Exit, Fault, Kept, Usage};
use crate::ids::Timestamp;

/// How the agent's part of a run ended, and what is known about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    /// The conclusion.
    pub end: AgentEnd,
    /// How the agent's process ended; absent where none was started.
    pub exit: Option<Exit>,
    /// Whether any agent event proved that the message was taken.
    pub turn_taken: bool,
    /// The agent's own session id.
    pub session: Option<String>,
    /// The last thing the agent said.
    pub final_message: Option<String>,
    /// Totals of this execution.
    pub usage: Usage,
    /// What was denied.
    pub denials: Vec<Denial>,
    /// The line of a task file that would have allowed the first of these, in the words of the
    /// agent's adapter.
    #[serde(default)]
    pub allowing: Option<String>,
    /// Whether the sandbox differs from its base.
    pub changed: bool,
    /// The commit the sandbox stands on.
    pub head: Option<String>,
}

impl Ending {
    /// The ending of a run that was closed. Whether its agent had a turn shows only in what it reported.
    pub fn closed(by: ClosedBy) -> Self {
        Self { turn_taken: true, ..Self::not_begun(AgentEnd::Closed { by }) }
    }

    /// The ending of a run in which no agent was started.
    pub fn not_begun(end: AgentEnd) -> Self {
        Self {
            end,
            exit: None,
            turn_taken: false,
            session: None,
            final_message: None,
            usage: Usage::default(),
            denials: Vec::new(),
            allowing: None,
            changed: false,
            head: None,
        }
    }
}

/// The conclusion of the agent's part. Nothing here defaults to success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AgentEnd {
    /// The program said it was done, without an error flag, and exited well.
    Finished,
    /// The program, its provider, the sandbox or the wiring failed.
    Failed {
        /// Why.
        fault: Fault,
    },
    /// The program, project or sandbox was not to be had: nothing was run.
    Unavailable {
        /// Why.
        fault: Fault,
    },
    /// The provider refuses for now.
    RateLimited {
        /// When it will serve again, where it said so.
        until: Option<Timestamp>,
        /// The provider's words.
        message: String,
    },
    /// The provider refused the login.
    Auth {
        /// The provider's words.
        message: String,
    },
    /// The time limit was reached.
    TimedOut {
        /// The limit.
        seconds: u64,
    },
    /// The agent said nothing and its processes did nothing for too long.
    Idle {
        /// The limit.
        seconds: u64,
    },
    /// The program itself ended the run at what it was told to use at most.
    Spent {
        /// The program's words.
        message: String,
    },
    /// The run was ended as the store asked.
    Stopped {
        /// Why the store asked.
        reason: StopReason,
    },
    /// The store stayed away for longer than this run may go on without it.
    Interrupted,
    /// The run was closed: its agent works where no process of callbox's is, and nobody saw it end.
    Closed {
        /// By whom.
        by: ClosedBy,
    },
}

/// Who closed a run that no process of callbox's was with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClosedBy {
    /// A person, with `callbox end`.
    Person,
    /// The time for which it was opened.
    Time,
}

/// The end of the finish step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Finish {
    /// The work stands in the project; `None` when there was nothing to hand over.
    Delivered {
        /// What was delivered.
        delivery: Option<Delivery>,
        /// Something a person should be told, such as another branch name.
        notice: Option<String>,
    },
    /// The store wanted the run to end before anything was handed over, and it has ended.
    Stopped,
    /// It does not go together with the branch it is to be merged into.
    Conflicted {
        /// What is in conflict.
        conflict: Conflict,
    },
    /// The work of a run without a good end stands in the project; `None` when there was nothing to keep.
    Kept {
        /// What is kept.
        kept: Option<Kept>,
        /// Something a person should be told, such as another name.
        notice: Option<String>,
    },
    /// It could not be handed over or kept; the sandbox is there.
    Failed {
        /// Why.
        fault: Fault,
    },
}

/// Why a run is to be ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// A person cancelled the task.
    Cancelled,
    /// The budget of the tree is used up.
    Budget,
    /// The agent worked on for 120 s after it asked.
    Asked,
    /// A person's message is to be heard at once.
    Told,
}
