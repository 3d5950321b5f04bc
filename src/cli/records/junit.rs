//! The result as JUnit XML, the form that CI services read: a suite for each tree, a case for each task and for the
//! command that decided about the work.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::{
    cli::sanitise,
    protocol::report::{TaskReport, VerifyReport},
    vocabulary::{Exit, Fault},
};

/// The document.
pub(super) fn junit(reports: &[TaskReport]) -> Result<String, quick_junit::SerializeError> {
    let mut document = Report::new("callbox");
    document.add_test_suites(reports.iter().map(suite));
    document.to_string()
}

fn suite(report: &TaskReport) -> TestSuite {
    let head = &report.task;
    let name = format!("{} {}", head.number, sanitise::line(&head.name));
    let mut suite = TestSuite::new(name.clone());
    let time = Duration::try_from_secs_f64(report.totals.seconds).unwrap_or_default();
    suite.set_time(time);
    let agent = report.execution.as_ref().map_or(&head.agent, |execution| &execution.agent);
    let agent = format!("callbox.{}", sanitise::line(agent));
    let mut root = case(&name, &head.state, head.wait.as_deref(), report.error.as_ref());
    root.set_classname(agent.clone()).set_time(time);
    if let Some(summary) = &report.summary {
        root.set_system_out(sanitise::text(summary));
    }
    suite.add_test_case(root);
    suite.add_test_cases(report.verify.iter().map(|verify| {
        let mut verified = verification(verify);
        verified.set_classname(agent.clone());
        verified
    }));
    suite.add_test_cases(report.subtasks.iter().map(|subtask| {
        let name = format!("{} {}", subtask.number, sanitise::line(&subtask.name));
        let mut below = case(&name, &subtask.state, None, None);
        below.set_classname(agent.clone());
        if let Some(summary) = &subtask.summary {
            below.set_system_out(sanitise::text(summary));
        }
        below
    }));
    suite
}

/// What failed by itself is a failure; whatever else did not end well, or has not ended, is an error: no case is passed
/// over.
fn case(name: &str, state: &str, wait: Option<&str>, error: Option<&Fault>) -> TestCase {
    let kind = match state {
        "completed" | "ready" => return TestCase::new(name, TestCaseStatus::success()),
        "failed" => NonSuccessKind::Failure,
        _ => NonSuccessKind::Error,
    };
    let mut status = TestCaseStatus::non_success(kind);
    let message = match (error, wait) {
        (Some(fault), _) => sanitise::text(&fault.message),
        (None, Some(wait)) => format!("{state}, waits for {}", sanitise::line(wait)),
        (None, None) => state.to_owned(),
    };
    status.set_message(message);
    status.set_type(error.map_or(state, |fault| fault.code.as_str()));
    if let Some(hint) = error.and_then(|fault| fault.hint.as_ref()) {
        status.set_description(sanitise::text(hint));
    }
    TestCase::new(name, status)
}

fn verification(verify: &VerifyReport) -> TestCase {
    let name = format!("verify: {}", sanitise::line(&verify.command));
    let status = match verify.exit {
        Exit::Code(0) => TestCaseStatus::success(),
        Exit::Code(code) => failed(format!("exit status {code}")),
        Exit::Signal(signal) => failed(format!("ended by signal {signal}")),
    };
    let mut case = TestCase::new(name, status);
    case.set_system_out(sanitise::text(&verify.tail));
    case
}

fn failed(message: String) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(message).set_type("verify");
    status
}

#[cfg(test)]
mod tests {
    use quick_junit::Report;

    use super::*;
    use crate::cli::render::samples;

    #[test]
    fn each_end_reads_back_as_what_it_was() {
        let reports = [samples::completed(), samples::failed(), samples::blocked()];
        let text = junit(&reports).unwrap();
        insta::assert_snapshot!(text);
        let read = Report::deserialize_from_str(&text).unwrap();
        assert_eq!((read.tests, read.failures, read.errors), (5, 1, 1));
    }

    #[test]
    fn what_an_agent_says_is_text_and_no_state_is_passed_over() {
        let mut report = samples::completed();
        report.summary = Some("</system-out><failure>\u{0}\u{1b}[2J]]>&amp;".to_owned());
        for (state, bad) in
            [("ready", 0), ("cancelled", 1), ("splendid", 1), ("queued", 1), ("running", 1), ("timed_out", 1)]
        {
            report.task.state = state.to_owned();
            let read = Report::deserialize_from_str(&junit(&[report.clone()]).unwrap()).unwrap();
            assert_eq!(read.failures + read.errors, bad, "{state}");
            let said = read.test_suites[0].test_cases[0].system_out.as_ref().unwrap();
            assert!(said.as_str().contains("</system-out><failure>"), "{said:?}");
        }
    }
}
