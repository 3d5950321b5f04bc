//! What a task may set for Claude Code beyond the fields every agent has.

use std::collections::BTreeMap;

use crate::{agents::tool_rules::tool_rules, vocabulary::Fault};

/// The options, read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// Tools allowed beyond those of `permissions`, each as Claude Code writes permission rules.
    pub(super) allow: Vec<String>,
    /// How hard the model is to think.
    pub(super) effort: Option<String>,
    /// After how many turns of the model the run is ended.
    pub(super) max_turns: Option<u32>,
    /// Whether the person says that callbox itself runs in a container made to be thrown away.
    pub(super) contained: Contained,
}

/// Whether anything around callbox holds an agent that may do everything.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contained {
    /// Nobody said so.
    #[default]
    No,
    /// The person said so.
    Yes,
}

const NAMES: &str = "`allow`, `contained`, `effort` and `max_turns`";
const EFFORTS: [&str; 5] = ["low", "medium", "high", "xhigh", "max"];

impl Options {
    /// Reads `options`, and refuses a name or a value that Claude Code would not understand.
    pub(super) fn read(options: &BTreeMap<String, String>) -> Result<Self, Fault> {
        let mut read = Self::default();
        for (name, value) in options {
            match name.as_str() {
                "allow" => read.allow = allowed(value)?,
                "contained" => read.contained = contained(value)?,
                "effort" if EFFORTS.contains(&value.as_str()) => read.effort = Some(value.clone()),
                "effort" => return Err(wrong(name, value, &format!("one of {}", EFFORTS.join(", ")))),
                "max_turns" => match value.parse() {
                    Ok(turns @ 1..=100_000) => read.max_turns = Some(turns),
                    _ => return Err(wrong(name, value, "a whole number from 1 to 100000")),
                },
                _ => {
                    return Err(Fault::new("option_unknown", format!("Claude Code has no option `{name}`"))
                        .hinted(format!("its options are {NAMES}")));
                }
            }
        }
        Ok(read)
    }
}

fn contained(value: &str) -> Result<Contained, Fault> {
    match value {
        "yes" | "true" => Ok(Contained::Yes),
        "no" | "false" => Ok(Contained::No),
        _ => Err(wrong("contained", value, "`yes` or `no`")),
    }
}

fn allowed(value: &str) -> Result<Vec<String>, Fault> {
    tool_rules(value)
        .ok_or_else(|| wrong("allow", value, "tool names between commas, such as `WebFetch, WebSearch`"))
}

fn wrong(name: &str, value: &str, wanted: &str) -> Fault {
    let value: String = value.chars().take(80).collect();
    Fault::new("option_invalid", format!("option `{name}` is `{value}`; it must be {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Options, Fault> {
        Options::read(&pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn every_option_is_read() {
        let options = read(&[
            ("allow", "WebFetch, Bash(a, b:*)"),
            ("contained", "yes"),
            ("effort", "high"),
            ("max_turns", "7"),
        ]);
        let expected = Options {
            allow: vec!["WebFetch".to_owned(), "Bash(a, b:*)".to_owned()],
            effort: Some("high".to_owned()),
            max_turns: Some(7),
            contained: Contained::Yes,
        };
        assert_eq!(options, Ok(expected));
    }

    #[test]
    fn what_claude_would_not_understand_is_refused_with_what_it_would() {
        for (name, value) in [
            ("allow", ""),
            ("allow", "WebFetch,"),
            ("allow", "--dangerously-skip-permissions"),
            ("allow", "Bash(x"),
            ("contained", "maybe"),
            ("effort", "huge"),
            ("max_turns", "0"),
            ("max_turns", "many"),
        ] {
            let fault = read(&[(name, value)]).unwrap_err();
            assert!(fault.message.contains(&format!("`{name}`")), "{fault:?}");
        }
        assert!(read(&[("alow", "x")]).unwrap_err().hint.unwrap().contains("`allow`"));
    }
}
