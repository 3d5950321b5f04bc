//! The fields of a step's map.

use crate::document::{Faults, Node, entries, unknown};

/// The values of `names` in the map `value`, which may hold nothing else.
pub(super) fn fields<'a, const N: usize>(
    value: &'a Node,
    within: &str,
    names: [&str; N],
    faults: &mut Faults,
) -> Option<[Option<&'a Node>; N]> {
    let entries = entries(value, within, faults)?;
    for entry in entries.iter().filter(|entry| !names.contains(&entry.key.as_str())) {
        unknown(entry, within, names, faults);
    }
    Some(names.map(|name| entries.iter().find(|entry| entry.key == name).map(|entry| &entry.value)))
}

/// `node`, which must be there; `map` is where it is missing.
pub(super) fn needed<'a>(
    node: Option<&'a Node>,
    map: &Node,
    field: &str,
    faults: &mut Faults,
) -> Option<&'a Node> {
    if node.is_none() {
        faults.field(map.line, field, "is missing");
    }
    node
}
