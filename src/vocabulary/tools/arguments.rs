//! Reading the arguments of one call, field by field, with the leniences that models need and no
//! others: a whole float is an integer, a number may come in a string where the schema says integer,
//! an array may come JSON-encoded in a string where the schema says array, null is absent where the
//! argument is optional.

use serde_json::{Map, Number, Value};

use super::{
    fault::{ArgumentFault, ArgumentProblem},
    limits::{Count, Length, Lines},
};

/// The arguments of a call to one tool, none of which is unknown to it.
pub(super) struct Arguments<'a> {
    given: &'a Map<String, Value>,
}

impl<'a> Arguments<'a> {
    /// Takes the arguments of `tool`, which takes those `known`.
    pub(super) fn of(
        tool: &'static str,
        known: &[&str],
        given: &'a Map<String, Value>,
    ) -> Result<Self, ArgumentFault> {
        match given.keys().find(|name| !known.contains(&name.as_str())) {
            Some(stranger) => {
                let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                Err(fault(foreign_name(stranger), ArgumentProblem::Unknown { tool, known }))
            }
            None => Ok(Self { given }),
        }
    }

    /// A required text.
    pub(super) fn text(&self, name: &str, allowed: Length) -> Result<String, ArgumentFault> {
        self.optional_text(name, allowed)?.ok_or_else(|| fault(name, ArgumentProblem::Missing))
    }

    /// A text that may be absent.
    pub(super) fn optional_text(&self, name: &str, allowed: Length) -> Result<Option<String>, ArgumentFault> {
        self.value(name).map(|value| checked_text(name, value, allowed)).transpose()
    }

    /// A list of texts; empty when absent.
    pub(super) fn texts(&self, name: &str, count: Count, each: Length) -> Result<Vec<String>, ArgumentFault> {
        let Some(value) = self.value(name) else { return Ok(Vec::new()) };
        let wrong = || wrong_type(name, "an array of strings", value);
        let unpacked = match value {
            Value::String(text) => serde_json::from_str(text).map_err(|_| wrong())?,
            other => other.clone(),
        };
        let Value::Array(items) = unpacked else { return Err(wrong()) };
        if !(usize::from(count.least)..=usize::from(count.most)).contains(&items.len()) {
            return Err(fault(name, ArgumentProblem::Items { allowed: count, given: items.len() }));
        }
        let place = |(place, item)| checked_text(&format!("{name}[{place}]"), item, each);
        items.iter().enumerate().map(place).collect()
    }

    /// A whole number that may be absent.
    pub(super) fn optional_integer(&self, name: &str, allowed: Count) -> Result<Option<u8>, ArgumentFault> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let wrong = || wrong_type(name, "an integer", value);
        let number = match value {
            Value::Number(number) => number.clone(),
            Value::String(text) => serde_json::from_str::<Number>(text).map_err(|_| wrong())?,
            _ => return Err(wrong()),
        };
        let within = |candidate: &u8| number.as_f64() == Some(f64::from(*candidate));
        match (allowed.least..=allowed.most).find(within) {
            Some(found) => Ok(Some(found)),
            None => Err(fault(name, ArgumentProblem::Range { allowed, given: number.to_string() })),
        }
    }

    /// A word of a closed list that may be absent; `wanted` is the list as prose.
    pub(super) fn optional_choice<T: Copy>(
        &self,
        name: &str,
        words: &[(&str, T)],
        wanted: &'static str,
    ) -> Result<Option<T>, ArgumentFault> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let Value::String(text) = value else { return Err(wrong_type(name, "a string", value)) };
        match words.iter().find(|(word, _)| word == text) {
            Some((_, meaning)) => Ok(Some(*meaning)),
            None => Err(fault(name, ArgumentProblem::Choice { wanted })),
        }
    }

    fn value(&self, name: &str) -> Option<&'a Value> {
        self.given.get(name).filter(|value| !value.is_null())
    }
}

/// A fault of the argument called `field`.
pub(super) fn fault(field: impl Into<String>, problem: ArgumentProblem) -> ArgumentFault {
    ArgumentFault { field: field.into(), problem }
}

/// A name the caller made up, fit for a message: short, and without control characters.
pub(super) fn foreign_name(name: &str) -> String {
    name.chars().take(60).flat_map(char::escape_debug).collect()
}

fn checked_text(name: &str, value: &Value, allowed: Length) -> Result<String, ArgumentFault> {
    let Value::String(text) = value else { return Err(wrong_type(name, "a string", value)) };
    let given = text.chars().count();
    if !(allowed.least..=allowed.most).contains(&given) {
        return Err(fault(name, ArgumentProblem::Length { allowed, given }));
    }
    if text.contains('\0') {
        return Err(fault(name, ArgumentProblem::Nul));
    }
    if allowed.lines == Lines::One && text.chars().any(char::is_control) {
        return Err(fault(name, ArgumentProblem::Lines));
    }
    if allowed.least > 0 && text.trim().is_empty() {
        return Err(fault(name, ArgumentProblem::Blank));
    }
    Ok(text.clone())
}

fn wrong_type(name: &str, wanted: &'static str, value: &Value) -> ArgumentFault {
    let given = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    fault(name, ArgumentProblem::Type { wanted, given })
}
