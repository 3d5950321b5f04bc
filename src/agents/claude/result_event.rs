//! `result`: the event that decides how a run ended.

use serde_json::Value;

use super::{
    event::{number, text},
    refusal::Refusal,
};
use crate::agents::telling::telling;

/// The event, read strictly: only what says plainly that all went well says so here.
#[derive(Debug, PartialEq)]
pub(super) struct ResultEvent {
    /// The session's id.
    pub(super) session: Option<String>,
    /// Whether the turn went well.
    pub(super) verdict: Verdict,
    /// What the turn used, by all models; `None` where the program says nothing of it.
    pub(super) spent: Option<Spent>,
    /// Denied calls of the whole process: id, tool, input.
    pub(super) denials: Vec<(String, String, String)>,
}

/// How a turn ended.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// Well, with these last words.
    Well(String),
    /// The message was taken for a command of the program; no model saw it.
    Command(String),
    /// The conversation to be resumed does not exist.
    SessionUnknown(String),
    /// The provider refused; Claude Code's word for it stands in the event before.
    Refused(Refusal, String),
    /// Anything else, with the program's word for it and its words.
    Badly {
        /// `terminal_reason` or `subtype`, such as `max_turns`.
        reason: String,
        /// What it said.
        words: String,
    },
}

/// What was used since the last result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spent {
    /// Dollars.
    pub(super) cost_usd: f64,
    /// Tokens read.
    pub(super) tokens_in: u64,
    /// Tokens written.
    pub(super) tokens_out: u64,
}

impl ResultEvent {
    /// Reads it.
    pub(super) fn read(event: &Value) -> Self {
        Self {
            session: text(event, "session_id").map(str::to_owned),
            verdict: verdict(event),
            spent: event.get("model_usage_since_last_result").and_then(Value::as_object).map(|models| {
                models.values().fold(Spent { cost_usd: 0.0, tokens_in: 0, tokens_out: 0 }, Spent::plus)
            }),
            denials: event
                .get("permission_denials")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(denial)
                .collect(),
        }
    }
}

impl Spent {
    /// This and what one entry of `model_usage_since_last_result` says. `total_cost_usd` and
    /// `modelUsage` count the whole session, also the runs before this one (measured).
    fn plus(self, model: &Value) -> Self {
        let cost =
            model.get("costUSD").and_then(Value::as_f64).filter(|cost| cost.is_finite() && *cost > 0.0);
        let read = ["inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"];
        Self {
            cost_usd: self.cost_usd + cost.unwrap_or(0.0),
            tokens_in: read
                .into_iter()
                .map(|key| number(model, key))
                .fold(self.tokens_in, u64::saturating_add),
            tokens_out: self.tokens_out.saturating_add(number(model, "outputTokens")),
        }
    }
}

fn verdict(event: &Value) -> Verdict {
    let words = words(event);
    let subtype = text(event, "subtype").unwrap_or("no subtype");
    if let Some(command) = text(event, "local_command") {
        return Verdict::Command(command.to_owned());
    }
    if words.contains("No conversation found with session ID") && number(event, "num_turns") == 0 {
        return Verdict::SessionUnknown(words);
    }
    // Without a status where no answer came: no connection, or no login to ask with.
    let status = event.get("api_error_status").and_then(Value::as_u64);
    if status.is_some() || text(event, "terminal_reason") == Some("api_error") {
        return Verdict::Refused(Refusal { status, error: None }, words);
    }
    match event.get("is_error") {
        Some(Value::Bool(false)) if subtype == "success" => Verdict::Well(words),
        _ => {
            let reason =
                text(event, "terminal_reason").filter(|reason| *reason != "completed").unwrap_or(subtype);
            Verdict::Badly { reason: reason.to_owned(), words }
        }
    }
}

/// `result`, else `errors`.
fn words(event: &Value) -> String {
    if let Some(words) = text(event, "result").filter(|words| !words.is_empty()) {
        return words.to_owned();
    }
    let errors = event.get("errors").and_then(Value::as_array);
    errors.into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
}

fn denial(denial: &Value) -> Option<(String, String, String)> {
    let input = telling(denial.get("tool_input").unwrap_or(&Value::Null));
    Some((text(denial, "tool_use_id")?.to_owned(), text(denial, "tool_name")?.to_owned(), input))
}
