//! What a task may set for Gemini CLI beyond the fields every agent has.

use std::collections::BTreeMap;

use crate::{agents::tool_rules::tool_rules, vocabulary::Fault};

/// The options, read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// Tools allowed beyond those of `permissions`, each by its name, or as `run_shell_command(git log)` by what a
    /// command begins with.
    pub(super) allow: Vec<String>,
    /// After how many turns of the model the run is ended.
    pub(super) max_turns: Option<u32>,
}

const NAMES: &str = "`allow` and `max_turns`";

impl Options {
    /// Reads `options`, and refuses a name or a value that Gemini CLI would not understand.
    pub(super) fn read(options: &BTreeMap<String, String>) -> Result<Self, Fault> {
        let mut read = Self::default();
        for (name, value) in options {
            match name.as_str() {
                "allow" => read.allow = allowed(value)?,
                "max_turns" => match value.parse() {
                    Ok(turns @ 1..=100_000) => read.max_turns = Some(turns),
                    _ => return Err(wrong(name, value, "a whole number from 1 to 100000")),
                },
                _ => {
                    return Err(Fault::new("option_unknown", format!("Gemini CLI has no option `{name}`"))
                        .hinted(format!("its options are {NAMES}")));
                }
            }
        }
        Ok(read)
    }
}

/// Only of commands Gemini CLI knows the beginnings.
fn allowed(value: &str) -> Result<Vec<String>, Fault> {
    let plain = |rule: &String| {
        rule.split_once('(').is_none_or(|(tool, rest)| tool == "run_shell_command" && rest.len() > 1)
    };
    tool_rules(value).filter(|rules| rules.iter().all(plain)).ok_or_else(|| {
        let wanted = "tool names between commas, such as `web_fetch, run_shell_command(git log)`";
        wrong("allow", value, wanted)
    })
}

fn wrong(name: &str, value: &str, wanted: &str) -> Fault {
    let value: String = value.chars().take(80).collect();
    Fault::new("option_invalid", format!("option `{name}` is `{value}`; it must be {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, value: &str) -> Result<Options, Fault> {
        Options::read(&BTreeMap::from([(name.to_owned(), value.to_owned())]))
    }

    #[test]
    fn every_option_is_read_and_what_gemini_would_not_understand_is_refused_with_what_it_would() {
        let allow = ["web_fetch", "run_shell_command(git log)"].map(str::to_owned).to_vec();
        let options = read("allow", "web_fetch, run_shell_command(git log)");
        assert_eq!(options, Ok(Options { allow, max_turns: None }));
        assert_eq!(read("max_turns", "7").unwrap().max_turns, Some(7));
        for (name, value) in [
            ("allow", ""),
            ("allow", "web_fetch,"),
            ("allow", "--yolo"),
            ("allow", "write_file(a)"),
            ("allow", "run_shell_command()"),
            ("max_turns", "0"),
        ] {
            let fault = read(name, value).unwrap_err();
            assert!(fault.message.contains(&format!("`{name}`")), "{fault:?}");
        }
        assert!(read("effort", "high").unwrap_err().hint.unwrap().contains("`allow`"));
    }
}
