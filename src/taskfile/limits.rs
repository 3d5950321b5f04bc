//! The fields that limit what a run may take: `idle_timeout`, `max_cost_usd`, `max_tokens`.

use super::retry::seconds;
use crate::{
    document::{Faults, Node, Value, number, whole},
    vocabulary::IdleLimit,
};

/// The most tokens that can be told from none in every JSON reader.
const MOST_TOKENS: u64 = 1 << 53;

/// A length of time, or `never`.
pub(super) fn idle_timeout(node: &Node, faults: &mut Faults) -> Option<IdleLimit> {
    match &node.value {
        Value::Text(text) if text == "never" => Some(IdleLimit::Never),
        _ => seconds(node, "idle_timeout", faults).map(IdleLimit::Seconds),
    }
}

/// Dollars, more than none: nothing can be done for nothing.
pub(super) fn max_cost_usd(node: &Node, faults: &mut Faults) -> Option<f64> {
    let dollars = number(node, "max_cost_usd", faults)?;
    if dollars == 0.0 {
        faults.field(node.line, "max_cost_usd", "must be more than 0");
        return None;
    }
    Some(dollars)
}

/// Tokens, at least one.
pub(super) fn max_tokens(node: &Node, faults: &mut Faults) -> Option<u64> {
    whole(node, "max_tokens", (1, MOST_TOKENS), faults)
}
