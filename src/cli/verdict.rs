//! The exit status of a run: one decision from the report of a task.

use super::{exit::ExitStatus, follow::QUESTION};
use crate::protocol::report::TaskReport;

/// Faults for which something was not to be had before the agent could do anything that counts: an
/// agent whose shim fails is not heard, whatever it does.
const UNAVAILABLE: [&str; 12] = [
    "agent_unknown",
    "auth",
    "base",
    "exhausted",
    "isolation",
    "program_missing",
    "project",
    "sandbox",
    "setup",
    "supervisor",
    "variable_missing",
    "wiring",
];

/// What a run that left the task like this ends with.
pub(crate) fn verdict(report: &TaskReport) -> ExitStatus {
    match report.task.state.as_str() {
        "completed" | "ready" => ExitStatus::Success,
        "failed" => failed(report.error.as_ref().map_or("", |fault| fault.code.as_str())),
        "timed_out" => ExitStatus::TimedOut,
        "budget_exceeded" => ExitStatus::BudgetExceeded,
        "cancelled" => ExitStatus::Cancelled,
        "blocked" if report.error.as_ref().is_some_and(|fault| fault.code == QUESTION) => ExitStatus::Failed,
        // A task that still runs is left to whoever follows it now.
        "blocked" | "pending" | "running" => ExitStatus::Blocked,
        "queued" => queued(report.task.wait.as_deref().unwrap_or_default()),
        // A state of a newer store is not known to be good.
        _ => ExitStatus::Internal,
    }
}

fn failed(code: &str) -> ExitStatus {
    match code {
        "internal" => ExitStatus::Internal,
        "rate_limited" => ExitStatus::RateLimited,
        code if UNAVAILABLE.contains(&code) => ExitStatus::Unavailable,
        _ => ExitStatus::Failed,
    }
}

fn queued(wait: &str) -> ExitStatus {
    match wait.split(' ').next().unwrap_or_default() {
        "rate_limit" => ExitStatus::RateLimited,
        "auth" | "failures" => ExitStatus::Unavailable,
        "budget" => ExitStatus::BudgetExceeded,
        _ => ExitStatus::Blocked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::render::samples,
        vocabulary::{FAULT_CODES, Fault},
    };

    fn of(state: &str, wait: Option<&str>, fault: Option<&str>) -> u8 {
        let mut report = samples::blocked();
        report.task.state = state.to_owned();
        report.task.wait = wait.map(str::to_owned);
        report.error = fault.map(|code| Fault::new(code, "because"));
        verdict(&report).code()
    }

    #[test]
    fn every_end_has_its_documented_status() {
        for (state, wait, fault, status) in [
            ("completed", None, None, 0),
            ("ready", Some("review"), None, 0),
            ("failed", None, Some("agent_error"), 1),
            ("failed", None, Some("permission_denied"), 1),
            ("failed", None, None, 1),
            ("blocked", Some("answer to q1"), None, 3),
            ("blocked", Some("subtasks t2"), None, 3),
            ("queued", Some("dependency t9"), None, 3),
            ("timed_out", None, Some("timed_out"), 4),
            ("budget_exceeded", None, Some("budget"), 5),
            ("queued", Some("budget"), None, 5),
            ("queued", Some("rate_limit until 2026-11-30T04:00:00.000Z"), None, 6),
            ("failed", None, Some("rate_limited"), 6),
            ("cancelled", None, None, 7),
            ("queued", Some("auth"), None, 69),
            ("queued", Some("failures"), None, 69),
            ("failed", None, Some("program_missing"), 69),
            ("failed", None, Some("variable_missing"), 69),
            ("failed", None, Some("base"), 69),
            ("failed", None, Some("wiring"), 69),
            ("failed", None, Some("internal"), 70),
        ] {
            assert_eq!(of(state, wait, fault), status, "{state} {wait:?} {fault:?}");
        }
    }

    #[test]
    fn the_reference_says_what_each_code_ends_a_run_with() {
        let page = include_str!("../../REFERENCE.md");
        let table = page.split("### Codes of a task").nth(1).unwrap().split("\n#").next().unwrap();
        let mut rows = 0;
        for row in table.lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
            let (code, status) = (cells[1], cells[2].parse::<u8>().unwrap());
            let (state, wait) = match code {
                "auth" => ("queued", Some("auth")),
                "budget" => ("budget_exceeded", None),
                "timed_out" => ("timed_out", None),
                QUESTION => ("blocked", Some("answer to q1")),
                _ => ("failed", None),
            };
            assert_eq!(of(state, wait, Some(code)), status, "{code}");
            rows += 1;
        }
        assert_eq!(rows, FAULT_CODES.len());
        assert!(UNAVAILABLE.iter().all(|code| FAULT_CODES.contains(code)));
    }

    #[test]
    fn a_state_nobody_knows_is_never_a_success() {
        assert_ne!(of("splendid", None, None), 0);
    }
}
