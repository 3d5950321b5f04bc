//! The field `retry`.

use super::PartialRetry;
use crate::{
    document::{Entry, Faults, Node, entries, text, unknown, whole},
    ids::parse_duration,
};

/// The names inside `retry`.
pub const RETRY_FIELDS: [&str; 3] = ["max_attempts", "delay", "backoff"];

/// Reads `{max_attempts, delay, backoff}`, each of them optional.
pub(super) fn retry(node: &Node, faults: &mut Faults) -> PartialRetry {
    let mut retry = PartialRetry::default();
    for entry in entries(node, "retry", faults).unwrap_or_default() {
        match entry.key.as_str() {
            "max_attempts" => retry.max_attempts = small(entry, "retry.max_attempts", 100, faults),
            "backoff" => retry.backoff = small(entry, "retry.backoff", 10, faults),
            "delay" => retry.delay_seconds = seconds(&entry.value, "retry.delay", faults),
            _ => unknown(entry, "retry", RETRY_FIELDS, faults),
        }
    }
    retry
}

/// A length of time of whole seconds, at least one.
pub fn seconds(node: &Node, field: &str, faults: &mut Faults) -> Option<u64> {
    if let crate::document::Value::Number(written) = &node.value {
        faults.field(node.line, field, format!("needs a unit, as in `{written}s` or `{written}m`"));
        return None;
    }
    match parse_duration(text(node, field, faults)?) {
        Ok(length) if length.as_secs() >= 1 && length.subsec_nanos() == 0 => Some(length.as_secs()),
        Ok(_) => {
            faults.field(node.line, field, "must be whole seconds, at least one");
            None
        }
        Err(error) => {
            faults.field(node.line, field, format!("is wrong: {error}"));
            None
        }
    }
}

fn small(entry: &Entry, field: &str, most: u64, faults: &mut Faults) -> Option<u32> {
    whole(&entry.value, field, (1, most), faults).and_then(|number| u32::try_from(number).ok())
}
