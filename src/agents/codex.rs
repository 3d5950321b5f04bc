//! Codex, proved with version 0.171.0.
//!
//! Runs headless (`codex exec --json`), one turn a run: the message goes in on standard input, events come out as
//! JSON lines, the last of which is `turn.completed` or `turn.failed`. All settings are given anew with each run,
//! and the person's own are not read: they may name servers, hooks and other providers.

mod bridge;
mod command;
mod conclusion;
mod denied;
mod event;
mod item;
mod login;
mod native;
mod options;
mod permissions;
mod reader;
mod refusal;
mod rehearsal;
mod reset_time;
mod setting;

pub(super) use bridge::{bridge_places, bridged};
pub(super) use native::bridge_candidates;
pub(super) use refusal::{Meaning, meaning, sentence};
pub(super) use reset_time::reset_time;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    Adapter, AgentCommand, Beforehand, Launch, OwnPlace, Program, Reader, Rehearsal, Reports, Shelf, Shelved,
    StopSignal, Talk, Trap, User, mcp_config::SERVER_NAME, own_place::path_in,
};
use crate::{
    ids::{Secret, UniqueId},
    vocabulary::{Denial, Fault, TaskSpec},
};

/// Codex.
#[derive(Debug, Clone, Copy)]
pub struct Codex;

impl Adapter for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn program(&self) -> Program<'_> {
        Program::OnPath("codex")
    }

    fn behind(&self, found: &Path) -> Vec<PathBuf> {
        native::candidates(found)
    }

    /// `OPENAI_API_KEY` is not among them: `codex exec` does not log in with it (measured). Nor does Codex read
    /// `OPENAI_BASE_URL` any more; the adapter passes it on.
    fn variables(&self) -> Vec<&str> {
        vec![
            "CODEX_API_KEY",
            "CODEX_CA_CERTIFICATE",
            "CODEX_HOME",
            "CODEX_SQLITE_HOME",
            "OPENAI_BASE_URL",
            "OPENAI_ORGANIZATION",
        ]
    }

    fn place_variables(&self) -> &'static [&'static str] {
        &["CODEX_HOME", "CODEX_SQLITE_HOME"]
    }

    fn login_file(&self, environment: &BTreeMap<String, Secret>) -> Option<PathBuf> {
        Some(home(environment)?.join(login::FILE))
    }

    fn credential(&self, environment: &BTreeMap<String, Secret>, login: Option<&str>) -> Option<String> {
        login::credential(environment, login)
    }

    fn check(&self, spec: &TaskSpec, _: User) -> Result<(), Fault> {
        options::Options::read(&spec.options)?;
        super::model_name::check_model(spec.model.as_deref())
    }

    fn refused_keys(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// It ends at once and stops its servers; what it had said so far is in its session.
    fn stop_signal(&self) -> StopSignal {
        StopSignal::Terminate
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

    /// It lays out links to itself whenever it is started.
    fn version_variables(&self, scratch: &Path) -> Vec<(&'static str, PathBuf)> {
        vec![("CODEX_HOME", scratch.to_owned())]
    }

    /// Prints `codex-cli 0.171.0`.
    fn parse_version(&self, printed: &str) -> Option<String> {
        let version = printed.strip_prefix("codex-cli ")?.split_whitespace().next()?;
        let plain = version.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte));
        (plain && version.len() <= 40).then(|| version.to_owned())
    }

    fn reports(&self) -> Reports {
        Reports::Tokens
    }

    fn command(&self, launch: &Launch<'_>) -> Result<AgentCommand, Fault> {
        command::command(launch)
    }

    fn own_places(&self, _: &Launch<'_>, environment: &BTreeMap<String, Secret>) -> Vec<OwnPlace> {
        let database = path_in(environment, "CODEX_SQLITE_HOME");
        home(environment).into_iter().chain(database).map(OwnPlace::Folder).collect()
    }

    fn shelf(&self, talk: &Talk<'_>) -> Option<Shelf> {
        let session = UniqueId::parse(talk.session)?;
        let day = ["*", "*", "*"].map(str::to_owned);
        let way = day.into_iter().chain([format!("rollout-*-{session}.jsonl")]).collect();
        Some(Shelf { root: home(talk.environment)?.join("sessions"), way })
    }

    fn shelved(&self, path: &[String], talk: &Talk<'_>) -> Option<Shelved> {
        let Shelf { root, .. } = self.shelf(talk)?;
        Some(Shelved { file: path.iter().fold(root, |folder, name| folder.join(name)), beside: None })
    }

    fn rehearsal(&self, trap: &Trap<'_>) -> Option<Rehearsal> {
        Some(rehearsal::rehearsal(trap))
    }

    fn reader(&self, beforehand: &Beforehand) -> Box<dyn Reader> {
        Box::new(reader::CodexReader::new(beforehand))
    }
}

/// Where Codex keeps its sessions and its login.
fn home(environment: &BTreeMap<String, Secret>) -> Option<PathBuf> {
    path_in(environment, "CODEX_HOME").or_else(|| Some(path_in(environment, "HOME")?.join(".codex")))
}
