//! The table `[sandbox]`: what holds for every new sandbox.

use super::size::size;
use crate::{
    document::{Faults, Node, Value, entries, flag, unknown},
    vocabulary::SandboxRules,
};

/// Every key of the table.
pub(super) const NAMES: [&str; 4] = ["hardlinks", "keep_free", "max_each", "max_size"];

/// Reads the table.
pub(super) fn sandbox(node: &Node, faults: &mut Faults) -> SandboxRules {
    let mut rules = SandboxRules::default();
    for entry in entries(node, "sandbox", faults).unwrap_or_default() {
        match entry.key.as_str() {
            "hardlinks" => {
                rules.hardlinks = flag(&entry.value, "sandbox.hardlinks", faults).unwrap_or(rules.hardlinks);
            }
            "keep_free" => rules.keep_free = size(entry, "sandbox", faults).unwrap_or(rules.keep_free),
            "max_each" if matches!(&entry.value.value, Value::Text(said) if said == "none") => {
                rules.max_each = None;
            }
            "max_each" => rules.max_each = size(entry, "sandbox", faults),
            "max_size" => rules.max_size = size(entry, "sandbox", faults),
            _ => unknown(entry, "sandbox", NAMES, faults),
        }
    }
    rules
}
