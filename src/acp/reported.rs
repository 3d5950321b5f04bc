//! What a program answers to a prompt.

use serde_json::Value;

use super::{
    calls::text,
    line::{Tokens, beginning},
};

/// What one turn came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reported {
    /// The protocol's word for why it is over.
    pub(super) stop: String,
    /// What it used, where it is told.
    pub(super) tokens: Option<Tokens>,
}

impl Reported {
    /// Reads the answer `answer`.
    pub(super) fn read(answer: &Value) -> Self {
        let stop = text(answer, "stopReason").unwrap_or("no reason");
        Self { stop: beginning(stop, 80), tokens: standard(answer).or_else(|| gemini(answer)) }
    }
}

/// As claude-agent-acp tells it, and later revisions of the protocol.
fn standard(answer: &Value) -> Option<Tokens> {
    let usage = answer.get("usage")?;
    let number = |key: &str| usage.get(key).and_then(Value::as_u64);
    let cached = ["cachedReadTokens", "cachedWriteTokens"].into_iter().filter_map(number);
    let read = cached.fold(number("inputTokens")?, u64::saturating_add);
    Some(Tokens { read, written: number("outputTokens").unwrap_or(0) })
}

/// As Gemini CLI tells it.
fn gemini(answer: &Value) -> Option<Tokens> {
    let count = answer.pointer("/_meta/quota/token_count")?;
    let number = |key: &str| count.get(key).and_then(Value::as_u64);
    Some(Tokens { read: number("input_tokens")?, written: number("output_tokens").unwrap_or(0) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_turn_used_is_read_in_either_form_and_a_missing_reason_is_none() {
        let claude = json!({"stopReason": "end_turn", "usage": {"inputTokens": 1, "outputTokens": 2, "cachedReadTokens": 3, "cachedWriteTokens": 4}});
        let gemini = json!({"stopReason": "refusal", "_meta": {"quota": {"token_count": {"input_tokens": 5, "output_tokens": 6}}}});
        let told = |answer: Value| {
            let reported = Reported::read(&answer);
            (reported.stop, reported.tokens.map(|tokens| (tokens.read, tokens.written)))
        };
        assert_eq!(told(claude), ("end_turn".to_owned(), Some((8, 2))));
        assert_eq!(told(gemini), ("refusal".to_owned(), Some((5, 6))));
        assert_eq!(told(json!({})), ("no reason".to_owned(), None));
    }
}
