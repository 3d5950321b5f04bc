//! What the buffered signals of an execution come to when its agent has ended.

use serde::{Deserialize, Serialize};

use crate::vocabulary::{Call, SummaryOutcome};

/// What is kept as an execution's summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The text; absent where the agent said nothing at all.
    pub text: Option<String>,
    /// Where the text comes from.
    pub source: SummarySource,
    /// What the agent said of its work, if it reported.
    pub outcome: Option<SummaryOutcome>,
}

/// Where a summary comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SummarySource {
    /// `report_summary`.
    Reported,
    /// The last thing the agent said.
    FinalMessage,
    /// Nothing.
    None,
}

/// Folds the signals of one execution, in the order they were recorded: the last summary counts.
pub fn fold<'a>(signals: impl IntoIterator<Item = &'a Call>, final_message: Option<&str>) -> Summary {
    let reported = signals
        .into_iter()
        .filter_map(|call| match call {
            Call::ReportSummary(summary) => Some(summary),
            _ => None,
        })
        .last();
    if let Some(summary) = reported {
        return Summary {
            text: Some(summary.summary.clone()),
            source: SummarySource::Reported,
            outcome: Some(summary.outcome),
        };
    }
    match final_message.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => {
            Summary { text: Some(text.to_owned()), source: SummarySource::FinalMessage, outcome: None }
        }
        None => Summary { text: None, source: SummarySource::None, outcome: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::{RecordProgress, ReportSummary};

    fn summary(text: &str, outcome: SummaryOutcome) -> Call {
        Call::ReportSummary(ReportSummary { summary: text.to_owned(), outcome })
    }

    #[test]
    fn the_last_summary_counts() {
        let signals = [
            summary("first", SummaryOutcome::Done),
            Call::RecordProgress(RecordProgress { message: "on".to_owned(), percent: None }),
            summary("second", SummaryOutcome::Partial),
        ];
        let folded = fold(&signals, Some("bye"));
        assert_eq!(folded.text.as_deref(), Some("second"));
        assert_eq!(folded.outcome, Some(SummaryOutcome::Partial));
    }

    #[test]
    fn without_a_summary_the_final_message_stands_in_and_says_so() {
        assert_eq!(fold([], Some(" done \n")).source, SummarySource::FinalMessage);
        assert_eq!(fold([], Some("  ")).source, SummarySource::None);
        assert_eq!(fold([], None).text, None);
    }
}
