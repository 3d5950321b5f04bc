//! What a field wants its value to be: each check gives the value or notes the fault.

use super::{Entry, Faults, Node, Value, nearest};

/// The longest piece of a wrong value that a fault repeats, in characters.
const SHOWN: usize = 60;

/// Text as it stands; a number or a yes is refused, since its writer may not have meant text.
pub fn text<'a>(node: &'a Node, field: &str, faults: &mut Faults) -> Option<&'a str> {
    match &node.value {
        Value::Text(text) => Some(text),
        Value::Flag(_, written) | Value::Number(written) => {
            let written = shown(written);
            faults.field(
                node.line,
                field,
                format!("must be text, not {}: put it in quotes, as in `\"{written}\"`", node.value.kind()),
            );
            None
        }
        _ => wrong(node, field, "text", faults),
    }
}

/// One of a closed list of words.
pub fn word<T: Copy>(node: &Node, field: &str, words: &[(&str, T)], faults: &mut Faults) -> Option<T> {
    let (Value::Text(given) | Value::Flag(_, given) | Value::Number(given)) = &node.value else {
        return wrong(node, field, "text", faults);
    };
    let found = words.iter().find(|(word, _)| word == given);
    if found.is_none() {
        let known: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        faults.field(node.line, field, format!("must be {}, not `{}`", known.join(" or "), shown(given)));
    }
    found.map(|(_, value)| *value)
}

/// A yes or no.
pub fn flag(node: &Node, field: &str, faults: &mut Faults) -> Option<bool> {
    match &node.value {
        Value::Flag(flag, _) => Some(*flag),
        _ => wrong(node, field, "yes or no", faults),
    }
}

/// A whole number of `least` to `most`.
pub fn whole(node: &Node, field: &str, range: (u64, u64), faults: &mut Faults) -> Option<u64> {
    let (least, most) = range;
    let Value::Number(written) = &node.value else { return wrong(node, field, "a whole number", faults) };
    let number = written.parse::<u64>().ok().filter(|number| (least..=most).contains(number));
    if number.is_none() {
        let written = shown(written);
        faults.field(
            node.line,
            field,
            format!("must be a whole number from {least} to {most}, not `{written}`"),
        );
    }
    number
}

/// A number of 0 or more.
pub fn number(node: &Node, field: &str, faults: &mut Faults) -> Option<f64> {
    let Value::Number(written) = &node.value else { return wrong(node, field, "a number", faults) };
    let number = written.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    if number.is_none() {
        faults.field(node.line, field, format!("must be a number of 0 or more, not `{}`", shown(written)));
    }
    number
}

/// A list.
pub fn list<'a>(node: &'a Node, field: &str, faults: &mut Faults) -> Option<&'a [Node]> {
    match &node.value {
        Value::List(items) => Some(items),
        _ => wrong(node, field, "a list", faults),
    }
}

/// The entries of a map.
pub fn entries<'a>(node: &'a Node, field: &str, faults: &mut Faults) -> Option<&'a [Entry]> {
    match &node.value {
        Value::Map(entries) => Some(entries),
        _ => wrong(node, field, "a map", faults),
    }
}

/// Notes that nothing is called like `entry` in `within`, and which of `known` may have been meant.
pub fn unknown<'a>(
    entry: &Entry,
    within: &str,
    known: impl IntoIterator<Item = &'a str>,
    faults: &mut Faults,
) {
    let field = if within.is_empty() { shown(&entry.key) } else { format!("{within}.{}", shown(&entry.key)) };
    let message = match nearest(&entry.key, known) {
        Some(meant) => format!("is not known: did you mean `{meant}`?"),
        None => "is not known".to_owned(),
    };
    faults.field(entry.line, field, message);
}

fn wrong<T>(node: &Node, field: &str, wanted: &str, faults: &mut Faults) -> Option<T> {
    faults.field(node.line, field, format!("must be {wanted}, not {}", node.value.kind()));
    None
}

/// The beginning of `text`, without what would disturb a terminal.
pub fn shown(text: &str) -> String {
    let mut shown: String = text.chars().filter(|letter| !letter.is_control()).take(SHOWN).collect();
    if text.chars().count() > SHOWN {
        shown.push('…');
    }
    shown
}
