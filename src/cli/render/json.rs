//! The JSON of `--json`: the protocol's shapes, pretty, harmless to print, one newline at the end.

use std::path::Path;

use serde::Serialize;

use crate::{
    cli::{error::CliError, error::ErrorKind, sanitise},
    protocol::report::{
        ExecutionReport, MessageReport, QuestionReport, SubtaskReport, TaskHead, TaskReport, Totals,
        VerifyReport,
    },
    vocabulary::{Budget, Deliver, Delivery, Denial, Fault, Kept},
};

/// One value.
pub(crate) fn object<T: Serialize>(value: &T) -> Result<String, CliError> {
    let text =
        serde_json::to_string_pretty(value).map_err(|error| CliError::new(ErrorKind::Internal, error))?;
    Ok(sanitise::json(&text) + "\n")
}

/// One value on one line.
pub(crate) fn line<T: Serialize>(value: &T) -> Result<String, CliError> {
    let text = serde_json::to_string(value).map_err(|error| CliError::new(ErrorKind::Internal, error))?;
    Ok(sanitise::json(&text) + "\n")
}

/// One value as an object, several as an array: `run` and `show` of several tasks.
pub(crate) fn array<T: Serialize>(values: &[T]) -> Result<String, CliError> {
    match values {
        [value] => object(value),
        values => object(&values),
    }
}

/// A task as `run` prints it: without its earlier executions and without its signals.
pub(crate) fn run_report(report: &TaskReport) -> impl Serialize + '_ {
    RunReport {
        schema: report.schema,
        task: &report.task,
        instructions: &report.instructions,
        deliver: report.deliver,
        budget: report.budget,
        execution: report.execution.as_ref(),
        summary: report.summary.as_deref(),
        questions: &report.questions,
        messages: &report.messages,
        subtasks: &report.subtasks,
        denied: &report.denied,
        verify: report.verify.as_ref(),
        delivery: report.delivery.as_ref(),
        merged_into: report.merged_into.as_deref(),
        kept: report.kept.as_ref(),
        not_kept: report.not_kept.as_deref(),
        sandbox: report.sandbox.as_deref(),
        swept: report.swept,
        totals: &report.totals,
        error: report.error.as_ref(),
    }
}

/// The fields of [`TaskReport`] in its order, since scripts' readers are people too.
#[derive(Serialize)]
struct RunReport<'a> {
    schema: u32,
    task: &'a TaskHead,
    instructions: &'a str,
    deliver: Deliver,
    budget: Budget,
    execution: Option<&'a ExecutionReport>,
    summary: Option<&'a str>,
    questions: &'a [QuestionReport],
    messages: &'a [MessageReport],
    subtasks: &'a [SubtaskReport],
    denied: &'a [Denial],
    verify: Option<&'a VerifyReport>,
    delivery: Option<&'a Delivery>,
    merged_into: Option<&'a str>,
    kept: Option<&'a Kept>,
    not_kept: Option<&'a str>,
    sandbox: Option<&'a Path>,
    swept: bool,
    totals: &'a Totals,
    error: Option<&'a Fault>,
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::cli::render::samples;

    #[test]
    fn run_prints_a_report_without_executions_and_signals_and_nothing_missing() {
        let printed = object(&run_report(&samples::blocked())).unwrap();
        insta::assert_snapshot!(printed);
    }

    #[test]
    fn run_and_show_differ_in_executions_and_signals_only() {
        let report = samples::completed();
        let mut show = serde_json::to_value(&report).unwrap();
        let fields = show.as_object_mut().unwrap();
        assert!(fields.remove("executions").is_some() && fields.remove("signals").is_some());
        assert_eq!(serde_json::to_value(run_report(&report)).unwrap(), show);
    }

    #[test]
    fn one_task_is_an_object_and_several_are_an_array() {
        let one = serde_json::from_str::<Value>(&array(&[1]).unwrap()).unwrap();
        let none = serde_json::from_str::<Value>(&array::<u8>(&[]).unwrap()).unwrap();
        assert!(one.is_number() && none.is_array());
        assert_eq!(array(&[1, 2]).unwrap(), "[\n  1,\n  2\n]\n");
    }
}
