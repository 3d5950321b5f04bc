//! The keys that limit how much goes on at once and on one day.

use super::Settings;
use crate::document::{Entry, Faults, Node, entries, number, unknown, whole};

/// Every key of the table `[budget]`.
pub(super) const BUDGET: [&str; 1] = ["per_day_usd"];
/// The keys of this kind in a table of `[projects]`.
pub(super) const PROJECT: [&str; 2] = ["max_concurrent", "per_day_usd"];

/// Reads the table `[budget]` into `settings`.
pub(super) fn budget(node: &Node, settings: &mut Settings, faults: &mut Faults) {
    for entry in entries(node, "budget", faults).unwrap_or_default() {
        match entry.key.as_str() {
            "per_day_usd" => settings.quotas.per_day_usd = per_day_usd(entry, "budget.per_day_usd", faults),
            _ => unknown(entry, "budget", BUDGET, faults),
        }
    }
}

/// Executions at once.
pub(super) fn max_concurrent(entry: &Entry, field: &str, faults: &mut Faults) -> Option<u32> {
    whole(&entry.value, field, (1, 1000), faults).and_then(|number| u32::try_from(number).ok())
}

/// US dollars, more than none.
pub(super) fn per_day_usd(entry: &Entry, field: &str, faults: &mut Faults) -> Option<f64> {
    let dollars = number(&entry.value, field, faults)?;
    if dollars == 0.0 {
        faults.field(entry.line, field, "must be more than 0");
        return None;
    }
    Some(dollars)
}
