//! The points at which a test may kill a supervisor.

use crate::process::FaultPoint;

/// A place between two steps of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Point {
    /// The store accepted the supervisor; nothing stands yet.
    AfterStarted,
    /// The sandbox stands and is not reported.
    SandboxMade,
    /// The agent runs and is not reported.
    AgentStarted,
    /// The agent's end is in the spool and not reported.
    OutcomeSpooled,
    /// The command that decides about the work runs.
    VerifyStarted,
    /// It has ended and that is not reported.
    VerifiedBeforeReport,
    /// The work is put on top of what its branch stands on now, and the sandbox is not moved there.
    WorkRebased,
    /// The work is handed over and that is not reported.
    DeliveredBeforeReport,
    /// What a run without a good end left is kept and that is not reported.
    KeptBeforeReport,
}

impl FaultPoint for Point {
    fn name(self) -> &'static str {
        match self {
            Self::AfterStarted => "supervisor:after_started",
            Self::SandboxMade => "supervisor:sandbox_made",
            Self::AgentStarted => "supervisor:agent_started",
            Self::OutcomeSpooled => "supervisor:outcome_spooled",
            Self::VerifyStarted => "supervisor:verify_started",
            Self::VerifiedBeforeReport => "supervisor:verified_before_report",
            Self::WorkRebased => "supervisor:work_rebased",
            Self::DeliveredBeforeReport => "supervisor:delivered_before_report",
            Self::KeptBeforeReport => "supervisor:kept_before_report",
        }
    }
}
