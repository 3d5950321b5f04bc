//! `result`: the event that decides how a run ended.

use serde_json::Value;

use super::event::text;
use crate::{ids::Timestamp, vocabulary::Usage};

/// The event, read strictly: only what says plainly that all went well says so here.
#[derive(Debug, PartialEq)]
pub(super) struct ResultEvent {
    /// When the program wrote it.
    pub(super) at: Option<Timestamp>,
    /// Whether the run went well.
    pub(super) verdict: Verdict,
    /// What this run alone used, by all models; `None` where the program says nothing of it.
    pub(super) usage: Option<Usage>,
}

/// How a run ended.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// Well.
    Well,
    /// Anything else.
    Badly {
        /// The program's word for it, such as `FatalTurnLimitedError`.
        kind: String,
        /// What it said.
        words: String,
    },
}

impl ResultEvent {
    /// Reads it.
    pub(super) fn read(event: &Value) -> Self {
        let error = event.get("error").unwrap_or(&Value::Null);
        let verdict = match text(event, "status") {
            Some("success") if error.is_null() => Verdict::Well,
            status => Verdict::Badly {
                kind: text(error, "type").or(status).unwrap_or("no status").to_owned(),
                words: text(error, "message").unwrap_or_default().to_owned(),
            },
        };
        Self {
            at: text(event, "timestamp").and_then(Timestamp::parse),
            verdict,
            usage: event.get("stats").and_then(usage),
        }
    }
}

/// What a model thought is in the total alone.
fn usage(stats: &Value) -> Option<Usage> {
    let number = |key: &str| stats.get(key).and_then(Value::as_u64);
    let read = number("input_tokens")?;
    let written = number("total_tokens").unwrap_or(0).saturating_sub(read);
    let written = written.max(number("output_tokens").unwrap_or(0));
    Some(Usage { cost_usd: None, tokens_in: Some(read), tokens_out: Some(written) })
}
