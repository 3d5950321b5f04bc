//! The key `preamble`: what agents are told about working under callbox, in a person's words.

use crate::document::{Faults, Node, text};

/// The longest, in characters: it goes along with every request to a model.
const MOST: usize = 20_000;

/// Reads it from `node`, which `field` names.
pub(super) fn preamble(node: &Node, field: &str, faults: &mut Faults) -> Option<String> {
    let given = text(node, field, faults)?;
    let length = given.chars().count();
    let wrong = if given.trim().is_empty() {
        "is empty: leave it out for callbox's own words".to_owned()
    } else if length > MOST {
        format!("has {length} characters, and at most {MOST} are allowed")
    } else {
        return Some(given.to_owned());
    };
    faults.field(node.line, field, wrong);
    None
}
