//! A rule of a description, held against one line.

use serde_json::Value;

use crate::vocabulary::LineRule;

/// Whether `rule` is for `event`.
pub(super) fn is_for(rule: &LineRule, event: &Value) -> bool {
    let stands = |(pointer, wanted): (&String, &Value)| {
        event.pointer(pointer).is_some_and(|found| matches(wanted, found))
    };
    rule.when.iter().all(stands) && !rule.unless.iter().any(stands)
}

fn matches(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::String(wanted), Value::String(found)) => match wanted.strip_suffix('*') {
            Some(beginning) => found.starts_with(beginning),
            None => wanted == found,
        },
        // 0 and 0.0 are one number to those who write JSON.
        (Value::Number(wanted), Value::Number(found)) => wanted == found || wanted.as_f64() == found.as_f64(),
        (wanted, found) => wanted == found,
    }
}

/// The text at `pointer` in `event`; a number counts as its digits.
pub(super) fn text(event: &Value, pointer: Option<&String>) -> Option<String> {
    match event.pointer(pointer?)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The sum of the whole numbers at `pointers`; `None` where none of them leads to one.
pub(super) fn sum(event: &Value, pointers: &[String]) -> Option<u64> {
    let numbers = pointers.iter().filter_map(|pointer| event.pointer(pointer)?.as_u64());
    numbers.reduce(u64::saturating_add)
}

/// The dollars at `pointer`: a number that can be an amount.
pub(super) fn dollars(event: &Value, pointer: Option<&String>) -> Option<f64> {
    event.pointer(pointer?)?.as_f64().filter(|dollars| (0.0..1e9).contains(dollars))
}
