//! Text fields: what each allows.

use std::collections::BTreeMap;

use crate::document::{Faults, Node, Value, entries, list, text};

/// The most entries of a list or map field.
const MAX_ENTRIES: usize = 200;
/// The longest value of an option or variable, in characters.
const MAX_VALUE: usize = 10_000;

/// Text of one line of 1 to `most` characters, without blanks around it.
pub(super) fn line(node: &Node, field: &str, most: usize, faults: &mut Faults) -> Option<String> {
    let given = text(node, field, faults)?;
    let wrong = if given.trim().is_empty() {
        "is empty".to_owned()
    } else if given.chars().any(char::is_control) {
        "must be one line without control characters".to_owned()
    } else if given.chars().count() > most {
        format!("must be at most {most} characters long")
    } else {
        return Some(given.trim().to_owned());
    };
    faults.field(node.line, field, wrong);
    None
}

/// A list of single lines without repetition.
pub(super) fn lines(node: &Node, field: &str, most: usize, faults: &mut Faults) -> Vec<String> {
    let Some(items) = list(node, field, faults) else { return Vec::new() };
    if items.len() > MAX_ENTRIES {
        faults.field(node.line, field, format!("must have at most {MAX_ENTRIES} entries"));
        return Vec::new();
    }
    let mut lines = Vec::new();
    for item in items {
        if let Some(line) = line(item, field, most, faults) {
            if lines.contains(&line) {
                faults.field(item.line, field, format!("names `{line}` twice"));
            } else {
                lines.push(line);
            }
        }
    }
    lines
}

/// A map of names to text. Numbers and yes or no are taken as they are written: here they can only
/// mean text.
pub(super) fn map(node: &Node, field: &str, faults: &mut Faults) -> BTreeMap<String, String> {
    let mut map = BTreeMap::new();
    let Some(entries) = entries(node, field, faults) else { return map };
    if entries.len() > MAX_ENTRIES {
        faults.field(node.line, field, format!("must have at most {MAX_ENTRIES} entries"));
        return map;
    }
    for entry in entries {
        let inner = format!("{field}.{}", entry.key);
        let value = match &entry.value.value {
            Value::Flag(_, written) | Value::Number(written) => Some(written.as_str()),
            _ => text(&entry.value, &inner, faults),
        };
        match value {
            Some(value) if value.chars().count() > MAX_VALUE => {
                faults.field(entry.line, inner, format!("must be at most {MAX_VALUE} characters long"));
            }
            Some(value) => {
                map.insert(entry.key.clone(), value.to_owned());
            }
            None => {}
        }
    }
    map
}

/// Notes it if `name` can't be a variable's name, or is one of callbox's own.
pub fn check_variable(name: &str, line: usize, field: &str, faults: &mut Faults) {
    let head = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    let rest = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if !head || !rest || name.len() > 200 {
        faults.field(line, field, "holds a name that no variable can have: letters, digits and `_` only");
    } else if name.starts_with("CALLBOX_") {
        faults.field(line, field, format!("names `{name}`, which callbox sets itself"));
    }
}
