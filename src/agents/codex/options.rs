//! What a task may set for Codex beyond the fields every agent has.

use std::collections::BTreeMap;

use crate::vocabulary::Fault;

/// The options, read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// How hard the model is to think.
    pub(super) effort: Option<String>,
}

const EFFORTS: [&str; 6] = ["none", "minimal", "low", "medium", "high", "xhigh"];

impl Options {
    /// Reads `options`, and refuses a name or a value that Codex would not understand.
    pub(super) fn read(options: &BTreeMap<String, String>) -> Result<Self, Fault> {
        let mut read = Self::default();
        for (name, value) in options {
            match name.as_str() {
                "effort" if EFFORTS.contains(&value.as_str()) => read.effort = Some(value.clone()),
                "effort" => {
                    let value: String = value.chars().take(80).collect();
                    let message =
                        format!("option `effort` is `{value}`; it must be one of {}", EFFORTS.join(", "));
                    return Err(Fault::new("option_invalid", message));
                }
                _ => {
                    return Err(Fault::new("option_unknown", format!("Codex has no option `{name}`"))
                        .hinted("its only option is `effort`"));
                }
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effort_that_codex_knows_is_read_and_anything_else_refused_by_name() {
        let read =
            |name: &str, value: &str| Options::read(&BTreeMap::from([(name.to_owned(), value.to_owned())]));
        assert_eq!(read("effort", "high"), Ok(Options { effort: Some("high".to_owned()) }));
        assert!(read("effort", "max").unwrap_err().message.contains("`max`"));
        assert_eq!(read("allow", "x").unwrap_err().code, "option_unknown");
    }
}
