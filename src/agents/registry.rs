//! The agent programs callbox knows.

use std::collections::BTreeSet;

use super::{Adapter, Claude, Codex, Gemini, Scripted};

/// Every adapter, in the order in which they are listed to people.
pub fn all() -> &'static [&'static dyn Adapter] {
    &[&Claude, &Codex, &Gemini, &Scripted]
}

/// The names of all, in that order.
pub fn names() -> Vec<&'static str> {
    all().iter().map(|adapter| adapter.name()).collect()
}

/// The adapter of the program called `name`.
pub fn find(name: &str) -> Option<&'static dyn Adapter> {
    all().iter().copied().find(|adapter| adapter.name() == name)
}

/// Every variable that some agent program reads, each once, in order.
pub fn variables() -> Vec<&'static str> {
    let names: BTreeSet<_> = all().iter().flat_map(|adapter| adapter.variables()).copied().collect();
    names.into_iter().collect()
}

/// Why the key `key` of the configuration's table for the agent `name` is refused, as the end of a sentence that
/// begins with the key; `None` where that agent can do something with it, or is none of callbox's.
pub fn refused_key(name: &str, key: &str) -> Option<&'static str> {
    let refused = find(name)?.refused_keys();
    refused.iter().find(|(refused, _)| *refused == key).map(|(_, reason)| *reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_adapter_is_found_by_its_own_name_and_no_other() {
        for adapter in all() {
            assert_eq!(find(adapter.name()).unwrap().name(), adapter.name());
        }
        assert!(find("Claude").is_none() && find("").is_none());
    }

    #[test]
    fn no_adapter_takes_along_what_tells_an_agent_that_it_runs_inside_another() {
        let nested =
            ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_MESSAGING_TOKEN"];
        let variables = variables();
        assert!(nested.iter().all(|name| !variables.contains(name)), "{variables:?}");
        assert!(variables.is_sorted());
    }
}
