//! What a task may say by design and this version of callbox does not do.
//!
//! Refused by name, because a limit or a check that is read and ignored is worse than none. Whoever
//! builds one of these takes it out of this table and puts it into `fields`.

use crate::document::{Faults, Node, Value};

/// Values of fields it has.
const VALUES: [(&str, &str); 1] = [("agent", "any")];

/// Notes it if `node` is a value of `field` that is not supported; whether it is.
pub(super) fn refuse_value(field: &str, node: &Node, faults: &mut Faults) -> bool {
    let Value::Text(given) = &node.value else { return false };
    let found = VALUES.contains(&(field, given.as_str()));
    if found {
        faults.field(node.line, field, format!("`{given}` is not supported by this version"));
    }
    found
}
