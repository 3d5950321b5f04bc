//! Named secrets, taken out of what is printed and written.
//!
//! No claim is made that nothing gets through: an agent can say a secret in a hundred other ways. What a run is given,
//! it may tell.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::cli::{error::CliError, surroundings::Surroundings};

/// What stands in the place of a secret.
const MASKED: &str = "***";
/// Fewer characters would be found everywhere.
const SHORTEST: usize = 4;

/// The secrets; neither shown nor logged.
#[derive(Clone, Default)]
pub(crate) struct Mask {
    /// The longest first, so that no part of one is left beside another.
    secrets: Vec<String>,
}

impl Mask {
    /// Of what the variables called `names` hold, all of it and each of its lines.
    pub(super) fn of(names: &[String], surroundings: &Surroundings) -> Result<Self, CliError> {
        let mut secrets = Vec::new();
        for name in names {
            let value = surroundings.value(name).and_then(|value| value.to_str()).map(str::trim);
            let value = value.filter(|value| value.chars().count() >= SHORTEST).ok_or_else(|| {
                CliError::usage(format!(
                    "`--mask {name}` names no variable with a value that could be masked"
                ))
                .hinted(format!("it must be set, to text of {SHORTEST} characters or more"))
            })?;
            secrets.push(value.to_owned());
            let lines = value.lines().map(str::trim).filter(|line| line.chars().count() >= SHORTEST);
            secrets.extend(lines.map(str::to_owned));
        }
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.dedup();
        Ok(Self { secrets })
    }

    /// `text` without them.
    pub(crate) fn text(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret, MASKED))
    }

    /// `value` without them in any of its texts. What could not be read again is kept to itself: nothing unmasked is
    /// ever handed on.
    pub(crate) fn value<T: Serialize + DeserializeOwned>(&self, value: T) -> Result<T, CliError> {
        if self.secrets.is_empty() {
            return Ok(value);
        }
        let internal = |_| CliError::new(crate::cli::error::ErrorKind::Internal, NotMasked);
        let mut tree = serde_json::to_value(value).map_err(internal)?;
        self.tree(&mut tree);
        serde_json::from_value(tree).map_err(internal)
    }

    fn tree(&self, tree: &mut Value) {
        match tree {
            Value::String(text) => *text = self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.tree(item)),
            Value::Object(fields) => fields.values_mut().for_each(|value| self.tree(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

impl std::fmt::Debug for Mask {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Mask of {}", self.secrets.len())
    }
}

#[derive(Debug, thiserror::Error)]
#[error("a result could not be masked, so it is not printed; `callbox show` has it")]
struct NotMasked;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::render::samples;

    fn mask(values: &[(&str, &str)]) -> Result<Mask, CliError> {
        let names: Vec<String> = values.iter().map(|(name, _)| (*name).to_owned()).collect();
        Mask::of(&names, &Surroundings::of(values))
    }

    #[test]
    fn what_a_named_variable_holds_stands_nowhere_any_more() {
        let mask = mask(&[("A", "hunter22"), ("B", "hunter2"), ("C", "first line\nsecond line\n")]).unwrap();
        assert_eq!(mask.text("hunter22hunter2 first line"), "****** ***");
        let mut report = samples::completed();
        report.summary = Some("it is hunter2".to_owned());
        report.denied[0].input = "echo second line".to_owned();
        report.signals[0].arguments = serde_json::json!({"message": ["hunter22"]});
        let masked = serde_json::to_string(&mask.value(report).unwrap()).unwrap();
        assert!(!masked.contains("hunter2") && !masked.contains("second line"), "{masked}");
        assert_eq!(format!("{mask:?}").matches("hunter").count(), 0);
    }

    #[test]
    fn a_variable_that_is_missing_or_too_short_to_be_masked_is_refused_by_its_name() {
        for value in ["", " ab ", "abc"] {
            let refused = mask(&[("SHORT", value)]).unwrap_err();
            assert!(refused.to_string().contains("`--mask SHORT`"), "{refused}");
        }
        assert_eq!(mask(&[]).unwrap().text("plain"), "plain");
    }
}
