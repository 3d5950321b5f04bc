//! What there is to read of a run that a person started by hand: nobody reads what its command prints, so its calls.

use crate::{database::rows::signal::SignalRow, ids::ExecutionNumber, vocabulary::Call};

/// The transcript of `number`, whose calls so far are `signals`. What is there never changes, and more is only added
/// behind it.
pub(super) fn transcript(number: ExecutionNumber, signals: &[SignalRow]) -> String {
    let head =
        format!("[callbox: {number} was started by hand: its output is not recorded, its calls are]\n");
    signals.iter().fold(head, |text, signal| text + &call(&signal.call))
}

/// The call, the lines behind the first further in.
fn call(call: &Call) -> String {
    let words = match call {
        Call::AskUser(asked) => &asked.question,
        Call::ReportSummary(report) => &report.summary,
        Call::SpawnSubtask(subtask) => &subtask.name,
        Call::RecordProgress(progress) => &progress.message,
    };
    format!("> {}: {}\n", call.tool(), words.trim_end().replace('\n', "\n    "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::Timestamp,
        vocabulary::{ReportSummary, SummaryOutcome},
    };

    #[test]
    fn more_calls_only_add_to_what_was_read() {
        let number = ExecutionNumber::new(1);
        let summary = "painted\nin two coats\n".to_owned();
        let row = |seq| SignalRow {
            execution: number,
            seq,
            key: seq.to_string(),
            call: Call::ReportSummary(ReportSummary {
                summary: summary.clone(),
                outcome: SummaryOutcome::Done,
            }),
            reply: String::new(),
            at: Timestamp::from_millis(0),
        };
        let [none, one, two] =
            [vec![], vec![row(1)], vec![row(1), row(2)]].map(|rows| transcript(number, &rows));
        assert_eq!(one.strip_prefix(&none), Some("> report_summary: painted\n    in two coats\n"));
        assert!(two.starts_with(&one) && two.len() > one.len());
    }
}
