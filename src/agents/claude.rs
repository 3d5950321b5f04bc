//! Claude Code, proved with version 2.1.332.
//!
//! Runs headless (`claude -p`), one turn a run: the message goes in on standard input, events come
//! out as JSON lines, the last of which is a `result`.

mod bridge;
mod calls;
mod command;
mod conclusion;
mod event;
mod meter;
mod options;
mod permissions;
mod reader;
mod refusal;
mod rehearsal;
mod result_event;
mod tool_use;

pub(super) use bridge::bridged;

use std::collections::BTreeMap;

use super::{
    Adapter, AgentCommand, Beforehand, Launch, OwnPlace, Program, Reader, Rehearsal, Reports, Shelf, Shelved,
    StopSignal, Talk, Trap, User, mcp_config::SERVER_NAME, model_name::check_model, own_place::path_in,
};
use crate::{
    ids::{Secret, UniqueId},
    vocabulary::{Denial, Fault, TaskSpec},
};

/// Claude Code.
#[derive(Debug, Clone, Copy)]
pub struct Claude;

/// Keys in the order in which Claude Code looks for them. The last is a subscription's.
const KEYS: [&str; 3] = ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"];

/// Claude Code cuts the names of its folders off here.
const LONGEST_FOLDER: usize = 200;

impl Adapter for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn program(&self) -> Program<'_> {
        Program::OnPath("claude")
    }

    /// Keys of cloud providers (`AWS_…`, `GOOGLE_…`) are not among them: they open far more than a
    /// model, so a task names them itself.
    fn variables(&self) -> Vec<&str> {
        vec![
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "ANTHROPIC_CUSTOM_HEADERS",
            "ANTHROPIC_DEFAULT_HAIKU_MODEL",
            "ANTHROPIC_DEFAULT_OPUS_MODEL",
            "ANTHROPIC_DEFAULT_SONNET_MODEL",
            "ANTHROPIC_MODEL",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CONFIG_DIR",
        ]
    }

    fn place_variables(&self) -> &'static [&'static str] {
        &["CLAUDE_CONFIG_DIR"]
    }

    fn credential(&self, environment: &BTreeMap<String, Secret>, _: Option<&str>) -> Option<String> {
        let key =
            KEYS.into_iter().find(|key| environment.get(*key).is_some_and(|key| !key.expose().is_empty()))?;
        Some(if key == "CLAUDE_CODE_OAUTH_TOKEN" { "subscription" } else { key }.to_owned())
    }

    fn check(&self, spec: &TaskSpec, user: User) -> Result<(), Fault> {
        let options = options::Options::read(&spec.options)?;
        check_model(spec.model.as_deref())?;
        permissions::check(spec.permissions, &options, user)
    }

    fn refused_keys(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// On SIGINT it ends the commands it started and still writes its result; on SIGTERM it doesn't.
    fn stop_signal(&self) -> StopSignal {
        StopSignal::Interrupt
    }

    fn tool_name(&self, tool: &str) -> String {
        format!("mcp__{SERVER_NAME}__{tool}")
    }

    fn allowing(&self, denial: &Denial) -> String {
        permissions::allowing(&denial.tool)
    }

    fn version_arguments(&self) -> Vec<&str> {
        vec!["--version"]
    }

    /// Prints `2.1.332 (Claude Code)`.
    fn parse_version(&self, printed: &str) -> Option<String> {
        let (version, _) = printed.split_once(" (Claude Code)")?;
        let plain = version.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte));
        (plain && (1..=40).contains(&version.len())).then(|| version.to_owned())
    }

    fn reports(&self) -> Reports {
        Reports::Dollars
    }

    fn command(&self, launch: &Launch<'_>) -> Result<AgentCommand, Fault> {
        command::command(launch)
    }

    /// One folder where `CLAUDE_CONFIG_DIR` names it; else a folder and a file in the home.
    fn own_places(&self, _: &Launch<'_>, environment: &BTreeMap<String, Secret>) -> Vec<OwnPlace> {
        if let Some(folder) = path_in(environment, "CLAUDE_CONFIG_DIR") {
            return vec![OwnPlace::Folder(folder)];
        }
        path_in(environment, "HOME").map_or_else(Vec::new, |home| {
            vec![OwnPlace::Folder(home.join(".claude")), OwnPlace::File(home.join(".claude.json"))]
        })
    }

    fn shelf(&self, talk: &Talk<'_>) -> Option<Shelf> {
        let session = UniqueId::parse(talk.session)?;
        let own = path_in(talk.environment, "CLAUDE_CONFIG_DIR");
        let own = own.or_else(|| Some(path_in(talk.environment, "HOME")?.join(".claude")))?;
        Some(Shelf { root: own.join("projects"), way: vec!["*".to_owned(), format!("{session}.jsonl")] })
    }

    /// Its folder is called by the directory. Claude Code finds a session in any of them by its id.
    fn shelved(&self, path: &[String], talk: &Talk<'_>) -> Option<Shelved> {
        let Shelf { root, .. } = self.shelf(talk)?;
        let directory = talk.directory.to_string_lossy();
        let folder =
            directory.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' });
        let folder: String = folder.take(LONGEST_FOLDER).collect();
        Some(Shelved { file: root.join(folder).join(path.last()?), beside: None })
    }

    fn rehearsal(&self, trap: &Trap<'_>) -> Option<Rehearsal> {
        Some(rehearsal::rehearsal(trap))
    }

    fn reader(&self, _: &Beforehand) -> Box<dyn Reader> {
        Box::new(reader::ClaudeReader::default())
    }
}
