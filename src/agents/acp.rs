//! Programs that speak the Agent Client Protocol, proved with claude-agent-acp 0.49.0, codex-acp 0.16.0 and Gemini CLI
//! 0.61.0 under `--acp`.
//!
//! callbox's own client (`crate::acp`) holds the turn and says what happens in lines that are read here. What the three
//! need beyond the protocol stands beside the adapters of the programs behind them (`bridge.rs` in each).

mod allow;
mod bridge;
mod bridged;
mod command;
mod conclusion;
mod reader;
mod refusal;
mod servers;

pub(super) use bridged::{Bridged, Preamble, Secrets};

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    Adapter, AgentCommand, Beforehand, Choice, Launch, OwnPlace, Program, Reader, Rehearsal, Reports,
    StopSignal, Trap, User, lacking::holding, mcp_config::SERVER_NAME, model_name::check_model,
    own_place::described_folders,
};
use crate::{
    ids::Secret,
    vocabulary::{AgentDescription, Denial, Fault, IsolationChoice, Permissions, StopWord, TaskSpec},
};
use bridge::Bridge;

/// A program that speaks the protocol.
#[derive(Debug, Clone)]
pub struct Acp {
    name: String,
    way: Way,
}

/// How it is known.
#[derive(Debug, Clone)]
enum Way {
    /// As one of the three.
    Bridge(Bridge),
    /// By a description of the person's.
    Described(Box<AgentDescription>),
}

impl Acp {
    /// The three that are part of callbox.
    pub fn shipped() -> impl Iterator<Item = Self> {
        Bridge::ALL
            .into_iter()
            .map(|bridge| Self { name: bridge.name().to_owned(), way: Way::Bridge(bridge) })
    }

    /// The program that tasks call `name`, as `description` says it is run.
    pub fn described(name: &str, description: AgentDescription) -> Self {
        Self { name: name.to_owned(), way: Way::Described(Box::new(description)) }
    }

    fn native(&self) -> Option<&'static dyn Adapter> {
        match &self.way {
            Way::Bridge(bridge) => Some(bridge.native()),
            Way::Described(_) => None,
        }
    }
}

impl Adapter for Acp {
    fn name(&self) -> &str {
        &self.name
    }

    fn program(&self) -> Program<'_> {
        Program::OnPath(match &self.way {
            Way::Bridge(bridge) => bridge.program(),
            Way::Described(description) => {
                description.command.first().map_or(self.name.as_str(), String::as_str)
            }
        })
    }

    fn behind(&self, found: &Path) -> Vec<PathBuf> {
        match self.way {
            Way::Bridge(bridge) => bridge.behind(found),
            Way::Described(_) => Vec::new(),
        }
    }

    fn choice(&self) -> Choice {
        match self.way {
            Way::Bridge(_) => Choice::ByName,
            Way::Described(_) => Choice::Anyone,
        }
    }

    fn variables(&self) -> Vec<&str> {
        match &self.way {
            Way::Bridge(bridge) => bridge.native().variables(),
            Way::Described(description) => description.variables.iter().map(String::as_str).collect(),
        }
    }

    fn place_variables(&self) -> &'static [&'static str] {
        self.native().map_or(&[], Adapter::place_variables)
    }

    fn login_file(&self, environment: &BTreeMap<String, Secret>) -> Option<PathBuf> {
        self.native()?.login_file(environment)
    }

    fn credential(&self, environment: &BTreeMap<String, Secret>, login: Option<&str>) -> Option<String> {
        self.native()?.credential(environment, login)
    }

    fn check(&self, spec: &TaskSpec, user: User) -> Result<(), Fault> {
        match &self.way {
            Way::Bridge(bridge) => bridge.native().check(spec, user),
            Way::Described(description) => {
                allow::read(&spec.options)?;
                check_model(spec.model.as_deref())?;
                let held = matches!(spec.isolation, IsolationChoice::Auto | IsolationChoice::Landlock);
                holding(&self.name, description, spec.permissions)?;
                if spec.permissions == Permissions::Read && !held {
                    Err(command::unheld(&self.name))
                } else {
                    Ok(())
                }
            }
        }
    }

    fn refused_keys(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// callbox's client passes it on as the protocol says it.
    fn stop_signal(&self) -> StopSignal {
        match &self.way {
            Way::Described(description) if description.stop_signal == StopWord::Interrupt => {
                StopSignal::Interrupt
            }
            _ => StopSignal::Terminate,
        }
    }

    fn tool_name(&self, tool: &str) -> String {
        match self.native() {
            Some(native) => native.tool_name(tool),
            None => format!("{tool} (of the MCP server {SERVER_NAME})"),
        }
    }

    fn allowing(&self, denial: &Denial) -> String {
        match self.way {
            Way::Bridge(bridge) => bridge.allowing(denial),
            Way::Described(_) => allow::allowing(&denial.tool),
        }
    }

    fn version_arguments(&self) -> Vec<&str> {
        match &self.way {
            Way::Bridge(bridge) => bridge.version_arguments().to_vec(),
            Way::Described(description) => description.version.iter().map(String::as_str).collect(),
        }
    }

    fn version_variables(&self, scratch: &Path) -> Vec<(&'static str, PathBuf)> {
        self.native().map(|native| native.version_variables(scratch)).unwrap_or_default()
    }

    fn parse_version(&self, printed: &str) -> Option<String> {
        match self.native() {
            Some(native) => native.parse_version(printed),
            None => Some(printed.split_whitespace().last()?.chars().take(40).collect()),
        }
    }

    fn reports(&self) -> Reports {
        match self.way {
            Way::Bridge(bridge) => bridge.reports(),
            Way::Described(_) => Reports::Nothing,
        }
    }

    fn command(&self, launch: &Launch<'_>) -> Result<AgentCommand, Fault> {
        let bridged = match &self.way {
            Way::Bridge(bridge) => bridge.bridged(launch)?,
            Way::Described(description) => command::described(&self.name, description, launch)?,
        };
        command::command(launch, bridged)
    }

    fn own_places(&self, launch: &Launch<'_>, environment: &BTreeMap<String, Secret>) -> Vec<OwnPlace> {
        match &self.way {
            Way::Bridge(bridge) => bridge.own_places(launch, environment),
            Way::Described(description) => described_folders(description, environment),
        }
    }

    /// That of the program behind a bridge, whose tools and repository files are the same.
    fn rehearsal(&self, trap: &Trap<'_>) -> Option<Rehearsal> {
        match self.way {
            Way::Bridge(bridge) => {
                let native = bridge.native().rehearsal(trap)?;
                let shell_denied = bridge.shell_denied(native.shell_denied);
                Some(Rehearsal { shell_denied, joined: bridge.joined(), ..native })
            }
            Way::Described(_) => None,
        }
    }

    fn reader(&self, beforehand: &Beforehand) -> Box<dyn Reader> {
        Box::new(reader::AcpReader::new(&self.name, beforehand))
    }
}
