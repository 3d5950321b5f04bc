//! Agent programs that callbox has no adapter of its own for: a description in the configuration is one.
//!
//! Each runs headless, one turn a run: the message goes in on standard input, and JSON lines come out, which the
//! description's rules read.

mod command;
mod conclusion;
mod filled;
mod mcp_file;
mod reader;
mod refusal;
mod rule;

use std::collections::BTreeMap;

use super::{
    Adapter, AgentCommand, Beforehand, Launch, OwnPlace, Program, Reader, Rehearsal, Reports, StopSignal,
    Trap, User,
    lacking::{holding, lacking, more_than_reading},
    mcp_config::SERVER_NAME,
    model_name::check_model,
    own_place::described_folders,
};
use crate::{
    ids::Secret,
    vocabulary::{AgentDescription, Denial, Fault, McpForm, StopWord, TaskSpec},
};

/// The program that is called `name` and run as `description` says.
#[derive(Debug, Clone)]
pub struct Described {
    name: String,
    description: AgentDescription,
}

impl Described {
    /// The adapter of that program.
    pub fn new(name: impl Into<String>, description: AgentDescription) -> Self {
        Self { name: name.into(), description }
    }
}

impl Adapter for Described {
    fn name(&self) -> &str {
        &self.name
    }

    fn program(&self) -> Program<'_> {
        Program::OnPath(self.description.command.first().map_or("", String::as_str))
    }

    fn variables(&self) -> Vec<&str> {
        self.description.variables.iter().map(String::as_str).collect()
    }

    fn credential(&self, environment: &BTreeMap<String, Secret>, _: Option<&str>) -> Option<String> {
        let key = |name: &&String| name.contains("KEY") || name.contains("TOKEN");
        let mut keys = self.description.variables.iter().filter(key);
        keys.find(|name| environment.get(*name).is_some_and(|value| !value.expose().is_empty())).cloned()
    }

    fn check(&self, spec: &TaskSpec, _: User) -> Result<(), Fault> {
        holding(&self.name, &self.description, spec.permissions)?;
        if let Some(option) = spec.options.keys().next() {
            let message = format!("`options.{option}` is not supported: a described program has no options");
            return Err(Fault::new("option_invalid", message));
        }
        if spec.model.is_some() && self.description.model_arguments.is_empty() {
            return Err(lacking(&self.name, "`model`", "model_arguments"));
        }
        check_model(spec.model.as_deref())
    }

    fn refused_keys(&self) -> &'static [(&'static str, &'static str)] {
        match self.description.mcp {
            McpForm::None => &[("mcp_servers", "is of no use to a program with `mcp = \"none\"`")],
            McpForm::McpServers | McpForm::Opencode => &[],
        }
    }

    fn stop_signal(&self) -> StopSignal {
        match self.description.stop_signal {
            StopWord::Interrupt => StopSignal::Interrupt,
            StopWord::Terminate => StopSignal::Terminate,
        }
    }

    fn tool_name(&self, tool: &str) -> String {
        match (self.description.mcp, &self.description.tool) {
            (McpForm::None, _) => format!("callbox-mcp call {tool}"),
            (_, Some(form)) => form.replace("{tool}", tool),
            (_, None) => format!("mcp__{SERVER_NAME}__{tool}"),
        }
    }

    fn announces_its_tools(&self) -> bool {
        self.description.mcp != McpForm::None
    }

    fn allowing(&self, _: &Denial) -> String {
        more_than_reading(&self.description)
    }

    fn version_arguments(&self) -> Vec<&str> {
        self.description.version.iter().map(String::as_str).collect()
    }

    /// The first word that begins with a digit and holds a point, as in `GitHub Copilot CLI 1.0.102.`
    fn parse_version(&self, printed: &str) -> Option<String> {
        if self.description.version.is_empty() {
            return None;
        }
        let words = printed
            .split_whitespace()
            .map(|word| word.trim_start_matches('v').trim_end_matches(['.', ',', ')']));
        let plain =
            |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte));
        let mut versions = words.filter(|word| {
            word.starts_with(|letter: char| letter.is_ascii_digit())
                && word.contains('.')
                && word.len() <= 40
                && plain(word)
        });
        versions.next().map(str::to_owned)
    }

    fn reports(&self) -> Reports {
        let lines = &self.description.lines;
        if lines.iter().any(|rule| rule.cost_usd.is_some()) {
            Reports::Dollars
        } else if lines.iter().any(|rule| !rule.tokens_in.is_empty() || !rule.tokens_out.is_empty()) {
            Reports::Tokens
        } else {
            Reports::Nothing
        }
    }

    fn command(&self, launch: &Launch<'_>) -> Result<AgentCommand, Fault> {
        command::command(self, launch)
    }

    fn own_places(&self, _: &Launch<'_>, environment: &BTreeMap<String, Secret>) -> Vec<OwnPlace> {
        described_folders(&self.description, environment)
    }

    fn rehearsal(&self, _: &Trap<'_>) -> Option<Rehearsal> {
        None
    }

    fn reader(&self, _: &Beforehand) -> Box<dyn Reader> {
        Box::new(reader::LineReader::new(&self.name, &self.description))
    }
}
