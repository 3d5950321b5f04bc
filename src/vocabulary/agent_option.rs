//! The agent programs that `any` may stand for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::TaskSpec;

/// What a task says instead of an agent's name: whichever of those installed is of use and has the fewest runs at work.
pub const ANY: &str = "any";

/// One agent program that a task may be given to, as it was found where the task was submitted, with what it is
/// launched with there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentOption {
    /// Its name.
    pub name: String,
    /// The model to ask it for.
    pub model: Option<String>,
    /// Its options, by name.
    pub options: BTreeMap<String, String>,
    /// Names of variables whose values are looked up at each launch and never stored.
    pub env_names: Vec<String>,
}

impl AgentOption {
    /// What a whole task for one agent says of that agent.
    pub fn of(spec: &TaskSpec) -> Self {
        Self {
            name: spec.agent.clone(),
            model: spec.model.clone(),
            options: spec.options.clone(),
            env_names: spec.env_names.clone(),
        }
    }
}

impl TaskSpec {
    /// Whether no agent is named, and any that fits may run it.
    pub fn is_for_any(&self) -> bool {
        self.agent == ANY
    }

    /// The names of those that may run it.
    pub fn may_go_to(&self) -> Vec<String> {
        if self.is_for_any() {
            self.agents.iter().map(|option| option.name.clone()).collect()
        } else {
            vec![self.agent.clone()]
        }
    }

    /// What `agent` is launched with, where it is the one that runs this.
    pub fn launched_with(&self, agent: &str) -> AgentOption {
        let option = self.agents.iter().find(|option| self.is_for_any() && option.name == agent);
        option.cloned().unwrap_or_else(|| AgentOption { name: agent.to_owned(), ..AgentOption::of(self) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_task_for_any_is_launched_with_is_that_of_the_agent_that_runs_it() {
        let mut spec = TaskSpec::new("claude", "x");
        spec.model = Some("big".to_owned());
        let claude = AgentOption::of(&spec);
        let codex = AgentOption { name: "codex".to_owned(), model: None, ..claude.clone() };
        spec.agents = vec![claude.clone(), codex.clone()];
        assert_eq!(
            (spec.launched_with("claude"), spec.may_go_to()),
            (claude.clone(), vec!["claude".to_owned()])
        );
        spec.agent = ANY.to_owned();
        assert_eq!((spec.launched_with("claude"), spec.launched_with("codex")), (claude, codex));
        assert_eq!(spec.may_go_to(), ["claude", "codex"]);
    }
}
