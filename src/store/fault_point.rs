//! The points at which a test may kill a store.

use crate::{process::FaultPoint, protocol::supervise::ReportBody, vocabulary::Fact};

/// A place between what was asked of the store and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Point {
    /// Tasks are recorded, which whoever submitted them does not know.
    SubmitRecorded,
    /// Tasks are claimed, and no supervisor is started yet.
    Claimed,
    /// A tool call has arrived and is not recorded.
    SignalArrived,
    /// A tool call is recorded and not answered.
    SignalRecorded,
    /// A supervisor is accepted, which it does not know.
    StartedRecorded,
    /// Facts are recorded, which the supervisor does not know.
    FactsRecorded,
    /// So are those among which the conversation's id is.
    SessionRecorded,
    /// The agent's end is recorded and decided, which the supervisor does not know.
    AgentEndedRecorded,
    /// It is recorded that a verification begins, which the supervisor does not know.
    ToVerifyRecorded,
    /// A verification is recorded and decided, which the supervisor does not know.
    VerifiedRecorded,
    /// A delivery has arrived and is not recorded.
    EndedArrived,
    /// A delivery is recorded, which the supervisor does not know.
    EndedRecorded,
    /// Tasks from elsewhere are recorded, which whoever brought them does not know.
    ImportRecorded,
    /// What is to be told counts as told, and nobody is told yet.
    NoticePassed,
}

impl Point {
    /// Behind the transaction that took `body`.
    pub(super) fn recorded(body: &ReportBody) -> Self {
        match body {
            ReportBody::Started { .. } => Self::StartedRecorded,
            ReportBody::Facts { facts } if facts.iter().any(|fact| matches!(fact, Fact::Session { .. })) => {
                Self::SessionRecorded
            }
            ReportBody::Facts { .. } => Self::FactsRecorded,
            ReportBody::AgentEnded { .. } => Self::AgentEndedRecorded,
            ReportBody::ToVerify => Self::ToVerifyRecorded,
            ReportBody::Verified { .. } => Self::VerifiedRecorded,
            ReportBody::Ended { .. } => Self::EndedRecorded,
        }
    }
}

impl FaultPoint for Point {
    fn name(self) -> &'static str {
        match self {
            Self::Claimed => "store:claimed",
            Self::SignalArrived => "store:signal_arrived",
            Self::SignalRecorded => "store:signal_recorded",
            Self::StartedRecorded => "store:started_recorded",
            Self::FactsRecorded => "store:facts_recorded",
            Self::SessionRecorded => "store:session_recorded",
            Self::AgentEndedRecorded => "store:agent_ended_recorded",
            Self::ToVerifyRecorded => "store:to_verify_recorded",
            Self::VerifiedRecorded => "store:verified_recorded",
            Self::EndedArrived => "store:ended_arrived",
            Self::EndedRecorded => "store:ended_recorded",
            Self::ImportRecorded => "store:import_recorded",
            Self::NoticePassed => "store:notice_passed",
            Self::SubmitRecorded => "store:submit_recorded",
        }
    }
}
