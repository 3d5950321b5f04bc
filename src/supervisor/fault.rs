//! Points at which a test may kill a supervisor.
//!
//! For tests only, and without effect unless `CALLBOX_FAULT` names a point: a process that is killed
//! with SIGKILL from outside is never killed at the place that matters. Where `CALLBOX_FAULT_ONCE`
//! names a file, only the first process to come there dies, which makes the file.

use std::{env, ffi::OsString, fs::File};

use crate::process::{Pid, Process, Signal, signal};

/// The variables that name the point and the file.
const POINT: &str = "CALLBOX_FAULT";
const ONCE: &str = "CALLBOX_FAULT_ONCE";

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
    /// The work is handed over and that is not reported.
    DeliveredBeforeReport,
}

/// The point at which this process is to die, if any.
#[derive(Debug, Clone, Default)]
pub(super) struct Faults {
    chosen: Option<String>,
    once: Option<OsString>,
}

impl Point {
    fn name(self) -> &'static str {
        match self {
            Self::AfterStarted => "supervisor:after_started",
            Self::SandboxMade => "supervisor:sandbox_made",
            Self::AgentStarted => "supervisor:agent_started",
            Self::OutcomeSpooled => "supervisor:outcome_spooled",
            Self::DeliveredBeforeReport => "supervisor:delivered_before_report",
        }
    }
}

impl Faults {
    /// Reads the variables.
    pub(super) fn read() -> Self {
        Self { chosen: env::var(POINT).ok(), once: env::var_os(ONCE) }
    }

    /// Dies here if `point` was chosen.
    pub(super) fn pass(&self, point: Point) {
        if self.chosen.as_deref() == Some(point.name())
            && self.once.as_ref().is_none_or(|file| File::create_new(file).is_ok())
            && let Ok(own) = Process::of(Pid::current())
        {
            // Where even that fails the test that asked for it does.
            let _ = signal(own, Signal::Kill);
        }
    }
}
