//! The supervisor plane: numbered reports up, the desired state down.
//!
//! Every report carries a number that counts up from 1 within the execution. A number the store has
//! seen is answered again from what is stored, never applied again, so a supervisor may repeat
//! whatever it is unsure of.

use serde::{Deserialize, Serialize};

use crate::{
    ids::{TaskNumber, Timestamp},
    vocabulary::{Ending, Fact, Finish, StopReason, Verified},
};

/// `POST /v1/supervise/report`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Counts up from 1.
    pub number: u64,
    /// When it came about, by the supervisor's clock.
    pub at: Timestamp,
    /// What happened.
    pub body: ReportBody,
}

/// What a supervisor reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ReportBody {
    /// The supervisor holds the `alive` lock and asks whether to begin. Refused, it exits.
    Started {
        /// Its process id.
        pid: u32,
        /// Its version of callbox.
        version: String,
    },
    /// Things learned while the agent runs.
    Facts {
        /// In the order they were learned.
        facts: Vec<Fact>,
    },
    /// The agent's process tree is gone.
    AgentEnded {
        /// All that decides how the run ended.
        ending: Box<Ending>,
    },
    /// The command that decides about work to be merged is about to be run: once more, where the branch moved on.
    /// Whoever is refused runs nothing.
    ToVerify,
    /// The command that decides about the work has ended.
    Verified {
        /// How.
        verified: Verified,
    },
    /// The finish step is done.
    Ended {
        /// What it delivered, or why it could not.
        finish: Finish,
    },
}

impl ReportBody {
    /// What is reported, in one word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Started { .. } => "started",
            Self::Facts { .. } => "facts",
            Self::AgentEnded { .. } => "agent_ended",
            Self::ToVerify => "to_verify",
            Self::Verified { .. } => "verified",
            Self::Ended { .. } => "ended",
        }
    }
}

/// The answer to a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Recorded; go on.
    Go,
    /// Nothing more is due: keep the sandbox and exit.
    Keep,
    /// Go on with the finish step: commit what is left over; verify it where the plan says so, and report
    /// `verified`; write the branch, and report `ended`.
    Deliver,
    /// The run has no good end, which nothing changes any more: commit what is left over, fetch it to
    /// [`kept_reference`](super::launch::kept_reference), and report `ended`.
    KeepWork,
}

/// `GET /v1/supervise/orders?seen=N`: answers at once when the level is not `seen`, else when it
/// changes, at the latest after 25 s.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Orders {
    /// Changes whenever the rest does; give it back as `seen`.
    pub level: u64,
    /// What the store wants of this run now.
    pub desired: Desired,
    /// Whether the agent's shim has announced an agent.
    pub hello_seen: bool,
    /// Whether the agent asked a question in this run: its turn may go on for 120 s more.
    pub question_open: bool,
    /// Subtasks spawned in this run of which the store wants to know the commit they start from: the
    /// one the sandbox stands on now.
    #[serde(default)]
    pub unnamed: Vec<TaskNumber>,
}

/// What the store wants of a run. A level, not an event: nothing is lost over a restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Desired {
    /// Go on.
    Go,
    /// End the agent.
    Stop(StopReason),
    /// End the agent at once, without grace.
    Kill(StopReason),
}
