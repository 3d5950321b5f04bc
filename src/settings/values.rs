//! What the configuration says.

use std::{collections::BTreeMap, path::PathBuf};

use super::{GcSettings, shipped::shipped};
use crate::{
    domain::Caps,
    taskfile::PartialSpec,
    vocabulary::{AgentDescription, AgentSetup, McpServer, NotifyCommand, Quotas, SandboxRules},
};

/// The configuration; its default is that of no file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// For what neither a flag nor a task file says.
    pub defaults: PartialSpec,
    /// How much goes on at once and on one day.
    pub quotas: Quotas,
    /// What holds for the tasks of single projects, by their roots.
    pub projects: BTreeMap<PathBuf, PartialSpec>,
    /// The standing instructions of every agent, in the place of callbox's.
    pub preamble: Option<String>,
    /// What is known of agent programs, by name.
    pub agents: BTreeMap<String, AgentSettings>,
    /// How far trees of tasks may grow.
    pub caps: Caps,
    /// Agents that subtasks may use besides their parent's and `scripted`.
    pub subtask_agents: Vec<String>,
    /// What isolated agents may write to besides their own, such as the caches of build tools; absolute.
    pub caches: Vec<PathBuf>,
    /// What holds for every new sandbox.
    pub sandbox: SandboxRules,
    /// How long what ended tasks left stays on the disk.
    pub gc: GcSettings,
    /// What is told what happens, where anything is.
    pub notify: Option<NotifyCommand>,
    /// A file of `NAME=value` lines in which variables are looked up last; absolute.
    pub env_file: Option<PathBuf>,
}

/// What the configuration says of one agent program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentSettings {
    /// How it is launched.
    pub setup: AgentSetup,
    /// Defaults of its tasks, before those of all tasks: model, options, names of variables.
    pub defaults: PartialSpec,
}

impl Settings {
    /// The defaults of a task for `agent`: the agent's own, then those of all tasks.
    pub fn defaults_for(&self, agent: &str) -> PartialSpec {
        let own = self.agents.get(agent).map(|agent| agent.defaults.clone());
        own.unwrap_or_default().over(&self.defaults)
    }

    /// How agent programs are launched, by name. What describes one that callbox ships a description of and the
    /// configuration none is that one.
    pub fn setups(&self) -> BTreeMap<String, AgentSetup> {
        let of_file = self.agents.iter().map(|(name, agent)| (name.clone(), agent.setup.clone()));
        let mut setups: BTreeMap<String, AgentSetup> = of_file.collect();
        for (name, description) in shipped() {
            let setup = setups.entry((*name).to_owned()).or_default();
            setup.description.get_or_insert_with(|| description.clone());
        }
        setups
    }

    /// The descriptions of the agent programs that callbox has no adapters of its own for, by name: the shipped ones,
    /// then those of the configuration, which stand in the place of a shipped one of their name.
    pub fn descriptions(&self) -> impl Iterator<Item = (&str, &AgentDescription)> {
        let agents = self.agents.iter();
        let own = agents.filter_map(|(name, agent)| Some((name.as_str(), agent.setup.description.as_ref()?)));
        shipped().iter().map(|(name, description)| (*name, description)).chain(own)
    }

    /// The names of the variables that MCP servers of the person's own need.
    pub fn server_variables(&self) -> impl Iterator<Item = &str> {
        let servers = self.agents.values().flat_map(|agent| &agent.setup.servers);
        servers.flat_map(McpServer::variables).map(String::as_str)
    }

    /// The programs that are not to be looked for on the PATH, by agent.
    pub fn programs(&self) -> BTreeMap<String, PathBuf> {
        let named =
            |(name, agent): (&String, &AgentSettings)| Some((name.clone(), agent.setup.program.clone()?));
        self.agents.iter().filter_map(named).collect()
    }
}
