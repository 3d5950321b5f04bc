//! Gemini CLI, proved with version 0.61.0.
//!
//! Runs headless, one turn a run: the message goes in on standard input, events come out as JSON lines, the last of
//! which is a `result`. It reads its settings, its login, its sessions and the person's own instructions from one
//! home, and no flag names a file of settings: so each sandbox has a home for it beside it, which callbox fills.

mod bridge;
mod command;
mod conclusion;
mod denied;
mod event;
mod home;
mod login;
mod options;
mod permissions;
mod reader;
mod refusal;
mod rehearsal;
mod reset_time;
mod result_event;
mod settings;
mod tool_use;

pub(super) use bridge::bridged;
pub(super) use conclusion::reported_reset;
pub(super) use reader::asked_again;
pub(super) use reset_time::reset_time;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    Adapter, AgentCommand, Beforehand, Launch, OwnPlace, Program, Reader, Rehearsal, Reports, Shelf, Shelved,
    StopSignal, Talk, Trap, User, mcp_config::SERVER_NAME, model_name::check_model,
};
use crate::{
    ids::{Secret, UniqueId},
    vocabulary::{Denial, Fault, TaskSpec},
};

/// Gemini CLI.
#[derive(Debug, Clone, Copy)]
pub struct Gemini;

impl Adapter for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn program(&self) -> Program<'_> {
        Program::OnPath("gemini")
    }

    /// A key of a whole cloud project (`GOOGLE_APPLICATION_CREDENTIALS`) is not among them: it opens far more
    /// than a model, so a task names it itself.
    fn variables(&self) -> Vec<&str> {
        vec![
            "GEMINI_API_KEY",
            "GEMINI_API_KEY_AUTH_MECHANISM",
            "GEMINI_CLI_CUSTOM_HEADERS",
            "GEMINI_CLI_HOME",
            "GEMINI_MODEL",
            "GOOGLE_API_KEY",
            "GOOGLE_CLOUD_LOCATION",
            "GOOGLE_CLOUD_PROJECT",
            "GOOGLE_GEMINI_BASE_URL",
            "GOOGLE_GENAI_API_VERSION",
            "GOOGLE_GENAI_USE_GCA",
            "GOOGLE_GENAI_USE_VERTEXAI",
            "GOOGLE_VERTEX_BASE_URL",
        ]
    }

    fn place_variables(&self) -> &'static [&'static str] {
        &["GEMINI_CLI_HOME"]
    }

    fn login_file(&self, environment: &BTreeMap<String, Secret>) -> Option<PathBuf> {
        home::login_file(environment)
    }

    fn credential(&self, environment: &BTreeMap<String, Secret>, login: Option<&str>) -> Option<String> {
        login::credential(environment, login)
    }

    fn check(&self, spec: &TaskSpec, _: User) -> Result<(), Fault> {
        options::Options::read(&spec.options)?;
        check_model(spec.model.as_deref())
    }

    fn refused_keys(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// On either signal it ends at once, with status 0 and without a result.
    fn stop_signal(&self) -> StopSignal {
        StopSignal::Terminate
    }

    /// It drops a tool that a server calls `ask_user`, whatever it is told, since one of its own has that name.
    fn tool_name(&self, tool: &str) -> String {
        let name = if tool == "ask_user" { "ask_human" } else { tool };
        format!("mcp_{SERVER_NAME}_{name}")
    }

    fn allowing(&self, denial: &Denial) -> String {
        permissions::allowing(&denial.tool)
    }

    fn version_arguments(&self) -> Vec<&str> {
        vec!["--version"]
    }

    /// Whatever it is asked, it begins to write down where it was started.
    fn version_variables(&self, scratch: &Path) -> Vec<(&'static str, PathBuf)> {
        vec![("GEMINI_CLI_HOME", scratch.to_owned())]
    }

    /// Prints `0.61.0`.
    fn parse_version(&self, printed: &str) -> Option<String> {
        let version = printed.lines().last()?.trim();
        let plain = version.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte));
        let numbered = version.starts_with(|letter: char| letter.is_ascii_digit());
        (plain && numbered && version.len() <= 40).then(|| version.to_owned())
    }

    /// Of dollars it says nothing, and of tokens only at the end of a run.
    fn reports(&self) -> Reports {
        Reports::Tokens
    }

    fn command(&self, launch: &Launch<'_>) -> Result<AgentCommand, Fault> {
        command::command(launch)
    }

    fn own_places(&self, launch: &Launch<'_>, _: &BTreeMap<String, Secret>) -> Vec<OwnPlace> {
        home::beside(launch.directory).map(OwnPlace::Folder).into_iter().collect()
    }

    fn shelf(&self, talk: &Talk<'_>) -> Option<Shelf> {
        let session = UniqueId::parse(talk.session)?.to_string();
        let file = format!("session-*-{}.json*", session.get(..8)?);
        let root = folder_in(&home::beside(talk.directory)?).join("tmp");
        Some(Shelf { root, way: vec!["*".to_owned(), "chats".to_owned(), file] })
    }

    /// It looks for the sessions of a directory in the folder in which that directory is named.
    fn shelved(&self, path: &[String], talk: &Talk<'_>) -> Option<Shelved> {
        let Shelf { root, .. } = self.shelf(talk)?;
        let folder = root.join("moved");
        Some(Shelved {
            file: folder.join("chats").join(path.last()?),
            beside: Some((folder.join(".project_root"), talk.directory.to_string_lossy().into_owned())),
        })
    }

    fn rehearsal(&self, trap: &Trap<'_>) -> Option<Rehearsal> {
        Some(rehearsal::rehearsal(trap))
    }

    fn reader(&self, _: &Beforehand) -> Box<dyn Reader> {
        Box::new(reader::GeminiReader::default())
    }
}

/// What the program calls a tool of callbox's own, by the name that people know it by.
fn own_tool(name: &str) -> Option<&str> {
    let tool = name.strip_prefix("mcp_")?.strip_prefix(SERVER_NAME)?.strip_prefix('_')?;
    Some(if tool == "ask_human" { "ask_user" } else { tool })
}

/// The folder in which Gemini CLI keeps all that is its own, in the home `home`.
fn folder_in(home: &Path) -> PathBuf {
    home.join(".gemini")
}
