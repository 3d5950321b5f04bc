//! The scripted agent: `callbox scripted`, a process like any other agent.
//!
//! It is told everything in one JSON document on its standard input and speaks JSON lines; `event`
//! has the words of both sides that this side reads.

mod event;
mod reader;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::{Map, json};

use super::{
    Adapter, AgentCommand, Beforehand, Launch, OwnPlace, PrivateFile, Program, Reach, Reader, Rehearsal,
    Reports, Session, Shelf, Shelved, StopSignal, Talk, Trap, User, mcp_config::mcp_servers,
};
use crate::{
    ids::{Secret, UniqueId},
    scripted::{self, WrongScript},
    vocabulary::{Denial, Fault, Permissions, TaskSpec},
};

/// The scripted agent.
#[derive(Debug, Clone, Copy)]
pub struct Scripted;

impl Adapter for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn program(&self) -> Program<'_> {
        Program::BuiltIn
    }

    fn variables(&self) -> Vec<&str> {
        Vec::new()
    }

    fn credential(&self, _: &BTreeMap<String, Secret>, _: Option<&str>) -> Option<String> {
        None
    }

    fn check(&self, spec: &TaskSpec, _user: User) -> Result<(), Fault> {
        match spec.permissions {
            Permissions::Read => Err(Fault::new(
                "permissions_refused",
                "`permissions: read` is refused: the scripted agent does what its steps say, and they may write",
            )),
            Permissions::Edit | Permissions::Full => scripted::check(&spec.instructions)
                .map_err(|error| Fault::new("script", error.to_string()).hinted(WrongScript::hint())),
        }
    }

    fn refused_keys(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("preamble", "is refused: the scripted agent has no model that would read it"),
            (
                "mcp_servers",
                "is refused: the scripted agent plays its steps and calls no tools but callbox's own",
            ),
        ]
    }

    fn stop_signal(&self) -> StopSignal {
        StopSignal::Terminate
    }

    fn tool_name(&self, tool: &str) -> String {
        tool.to_owned()
    }

    fn allowing(&self, denial: &Denial) -> String {
        format!("instructions without the step `deny: {}`", denial.tool)
    }

    fn version_arguments(&self) -> Vec<&str> {
        vec!["--version"]
    }

    /// Prints `callbox 0.1.0`.
    fn parse_version(&self, printed: &str) -> Option<String> {
        let version = printed.strip_prefix("callbox ")?.split_whitespace().next()?;
        (version.len() <= 40).then(|| version.to_owned())
    }

    fn reports(&self) -> Reports {
        Reports::Dollars
    }

    fn command(&self, launch: &Launch<'_>) -> Result<AgentCommand, Fault> {
        let (session, resume) = session(launch.session)?;
        let configuration = launch.folder.join("mcp.json");
        let told = json!({
            "session": session,
            "resume": resume,
            "message": launch.message.text(str::to_owned),
            "session_file": session_file(launch, session)?,
            "mcp_config": configuration,
        });
        Ok(AgentCommand {
            program: launch.program.to_owned(),
            arguments: vec!["scripted".into()],
            environment: BTreeMap::new(),
            input: told.to_string().into_bytes(),
            reach: Reach::Write,
            files: vec![PrivateFile {
                path: configuration,
                contents: Secret::new(mcp_servers(launch, Map::new()).to_string()),
            }],
        })
    }

    fn own_places(&self, launch: &Launch<'_>, _: &BTreeMap<String, Secret>) -> Vec<OwnPlace> {
        sessions(launch.directory).map(OwnPlace::Folder).into_iter().collect()
    }

    fn shelf(&self, talk: &Talk<'_>) -> Option<Shelf> {
        let session = UniqueId::parse(talk.session)?;
        Some(Shelf { root: sessions(talk.directory)?, way: vec![format!("{session}.json")] })
    }

    fn shelved(&self, path: &[String], talk: &Talk<'_>) -> Option<Shelved> {
        Some(Shelved { file: self.shelf(talk)?.root.join(path.last()?), beside: None })
    }

    fn rehearsal(&self, _trap: &Trap<'_>) -> Option<Rehearsal> {
        None
    }

    fn reader(&self, _: &Beforehand) -> Box<dyn Reader> {
        Box::new(reader::ScriptedReader::default())
    }
}

fn session(session: Session<'_>) -> Result<(UniqueId, bool), Fault> {
    match session {
        Session::New(id) => Ok((id, false)),
        Session::Resume(id) => UniqueId::parse(id).map(|id| (id, true)).ok_or_else(|| {
            Fault::new("session_unknown", "the recorded session id is not one of the scripted agent's")
        }),
    }
}

/// The folder beside the sandbox, so that the conversation lives as long as the work it speaks of and is
/// no part of it.
fn sessions(directory: &Path) -> Option<PathBuf> {
    let mut name = directory.file_name()?.to_owned();
    name.push(".scripted");
    Some(directory.with_file_name(name))
}

fn session_file(launch: &Launch<'_>, session: UniqueId) -> Result<PathBuf, Fault> {
    let folder = sessions(launch.directory);
    let folder =
        folder.ok_or_else(|| Fault::new("internal", "an agent cannot work in the root directory"))?;
    Ok(folder.join(format!("{session}.json")))
}

#[cfg(test)]
mod tests;
