//! What a task demands of a run before its work is handed over. Pure.

use crate::vocabulary::Fault;

/// What a task demands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Demands {
    /// That its agent reports with `report_summary`.
    pub summary: bool,
    /// That the sandbox differs from its base.
    pub changes: bool,
}

/// How the last execution stands to that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Met {
    /// Whether its agent reported with `report_summary`.
    pub summary: bool,
    /// Whether the sandbox differs from its base.
    pub changes: bool,
    /// Whether its message reminded the agent of the summary.
    pub reminded: bool,
}

/// What follows from a demand that is not met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shortfall {
    /// The agent is reminded of the summary, in the same conversation: it may only have asked in
    /// prose, or have forgotten to report.
    Remind,
    /// The run failed.
    Fail(Fault),
}

/// The first demand that is not met, if any.
pub(super) fn shortfall(demands: Demands, met: Met) -> Option<Shortfall> {
    if demands.summary && !met.summary {
        if !met.reminded {
            return Some(Shortfall::Remind);
        }
        let fault = Fault::new(
            "no_summary",
            "the task requires a summary and its agent ended without `report_summary`, also when reminded",
        )
        .hinted("`callbox logs` shows its last words; if they are a question, `callbox resume` answers it");
        return Some(Shortfall::Fail(fault));
    }
    if demands.changes && !met.changes {
        let fault = Fault::new("no_changes", "the task requires changes and its agent made none")
            .hinted("`callbox logs` shows what it did instead; `callbox resume` says more to it");
        return Some(Shortfall::Fail(fault));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: Demands = Demands { summary: true, changes: true };

    #[test]
    fn a_missing_summary_is_asked_for_once_and_then_has_its_own_words() {
        let silent = Met { changes: true, ..Met::default() };
        assert_eq!(shortfall(BOTH, silent), Some(Shortfall::Remind));
        let Some(Shortfall::Fail(fault)) = shortfall(BOTH, Met { reminded: true, ..silent }) else {
            panic!("a second silence is taken for well");
        };
        assert_eq!(fault.code, "no_summary");
        assert_eq!(shortfall(BOTH, Met { summary: true, ..silent }), None);
    }

    #[test]
    fn nothing_done_is_a_failure_where_changes_are_demanded_and_only_there() {
        let idle = Met { summary: true, ..Met::default() };
        assert!(matches!(shortfall(BOTH, idle), Some(Shortfall::Fail(fault)) if fault.code == "no_changes"));
        assert_eq!(shortfall(Demands { changes: false, ..BOTH }, idle), None);
    }
}
