//! The agent programs callbox knows.

use std::{collections::BTreeSet, sync::Arc};

use super::{Acp, Adapter, Claude, Codex, Described, Gemini, Scripted};
use crate::vocabulary::{AgentDescription, AgentProtocol};

/// The names of those that are part of callbox, in the order in which they are listed to people.
pub const BUILT_IN: [&str; 7] =
    ["claude", "codex", "gemini", "claude-acp", "codex-acp", "gemini-acp", "scripted"];

/// All agents that tasks can name, in the order in which they are listed to people.
#[derive(Clone)]
pub struct Catalogue {
    adapters: Vec<Arc<dyn Adapter>>,
}

impl Catalogue {
    /// Those that are part of callbox.
    pub fn built_in() -> Self {
        let mut adapters: Vec<Arc<dyn Adapter>> = vec![Arc::new(Claude), Arc::new(Codex), Arc::new(Gemini)];
        adapters.extend(Acp::shipped().map(|bridge| Arc::new(bridge) as Arc<dyn Adapter>));
        adapters.push(Arc::new(Scripted));
        Self { adapters }
    }

    /// These and `adapter`, in the place of one of its name where there is one.
    #[must_use]
    pub fn with(mut self, adapter: Arc<dyn Adapter>) -> Self {
        match self.adapters.iter_mut().find(|known| known.name() == adapter.name()) {
            Some(known) => *known = adapter,
            None => self.adapters.push(adapter),
        }
        self
    }

    /// These and the programs that are described so, by their names.
    #[must_use]
    pub fn describing<'d>(self, all: impl IntoIterator<Item = (&'d str, &'d AgentDescription)>) -> Self {
        all.into_iter().fold(self, |known, (name, description)| {
            known.with(match description.protocol {
                AgentProtocol::Lines => Arc::new(Described::new(name, description.clone())),
                AgentProtocol::Acp => Arc::new(Acp::described(name, description.clone())),
            })
        })
    }

    /// Each adapter, in order.
    pub fn all(&self) -> impl Iterator<Item = &dyn Adapter> {
        self.adapters.iter().map(AsRef::as_ref)
    }

    /// The names of all, in that order.
    pub fn names(&self) -> Vec<&str> {
        self.all().map(Adapter::name).collect()
    }

    /// The adapter of the program called `name`.
    pub fn find(&self, name: &str) -> Option<&dyn Adapter> {
        self.all().find(|adapter| adapter.name() == name)
    }

    /// Every variable that some agent program reads, each once, in order.
    pub fn variables(&self) -> Vec<&str> {
        let names: BTreeSet<_> = self.all().flat_map(Adapter::variables).collect();
        names.into_iter().collect()
    }

    /// Those of them that a hermetic run takes.
    pub fn hermetic_variables(&self) -> Vec<&str> {
        let places: BTreeSet<_> = self.all().flat_map(Adapter::place_variables).copied().collect();
        self.variables().into_iter().filter(|name| !places.contains(name)).collect()
    }

    /// Why the key `key` of the configuration's table for the agent `name` is refused, as the end of a sentence that
    /// begins with the key; `None` where that agent can do something with it, or is none of callbox's.
    pub fn refused_key(&self, name: &str, key: &str) -> Option<&'static str> {
        let refused = self.find(name)?.refused_keys();
        refused.iter().find(|(refused, _)| *refused == key).map(|(_, reason)| *reason)
    }
}

impl std::fmt::Debug for Catalogue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_adapter_is_found_by_its_own_name_and_no_other() {
        let catalogue = Catalogue::built_in();
        assert_eq!(catalogue.names(), BUILT_IN);
        for adapter in catalogue.all() {
            assert_eq!(catalogue.find(adapter.name()).unwrap().name(), adapter.name());
        }
        assert!(catalogue.find("Claude").is_none() && catalogue.find("").is_none());
    }

    #[test]
    fn no_adapter_takes_along_what_tells_an_agent_that_it_runs_inside_another() {
        let nested =
            ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_MESSAGING_TOKEN"];
        let catalogue = Catalogue::built_in();
        let variables = catalogue.variables();
        assert!(nested.iter().all(|name| !variables.contains(name)), "{variables:?}");
        assert!(variables.is_sorted());
    }
}
