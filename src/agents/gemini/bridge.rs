//! Gemini CLI under `--acp`, proved with version 0.61.0.
//!
//! It asks before whatever changes anything, and callbox answers; only what is off in every run is denied by a rule.

use serde_json::json;

use super::{folder_in, home, login::Login, options::Options, permissions, settings};
use crate::{
    acp::{Naming, Remembered},
    agents::{
        Launch, PrivateFile, Reach, SERVER_NAME, Session,
        acp::{Bridged, Preamble},
        model_name::check_model,
    },
    ids::{Secret, UniqueId},
    vocabulary::{Fault, Permissions},
};

/// How many letters of a session's id stand in the name of its file.
const OF_ID: usize = 8;

/// What a run of the bridge is given.
pub(in crate::agents) fn bridged(launch: &Launch<'_>) -> Result<Bridged, Fault> {
    let options = Options::read(launch.options)?;
    check_model(launch.model)?;
    let nowhere = || Fault::new("internal", "an agent cannot work in the root directory");
    let home = home::beside(launch.directory).ok_or_else(nowhere)?;
    let folder = folder_in(&home);
    let rules = launch.folder.join("rules.toml");
    let login = Login::of(launch.environment);
    let mut arguments =
        vec!["--acp".to_owned(), "--skip-trust".to_owned(), "--approval-mode=default".to_owned()];
    arguments.extend(["--policy", "--admin-policy"].map(|flag| format!("{flag}={}", rules.display())));
    let servers = launch.servers.iter().map(|server| server.name.as_str()).chain([SERVER_NAME]);
    arguments.extend(servers.map(|name| format!("--allowed-mcp-server-names={name}")));
    arguments.extend(launch.model.map(|model| format!("--model={model}")));
    let mut settings = settings::settings_with(&json!({}), login, &options);
    // Otherwise its commands run in a terminal of their own, which isolation does not let it make.
    settings["tools"]["shell"] = json!({"enableInteractiveShell": false});
    let private = |path, contents: String| PrivateFile { path, contents: Secret::new(contents) };
    Ok(Bridged {
        arguments,
        environment: super::command::environment(launch, login, &home.to_string_lossy()),
        naming: Naming::CallId,
        preamble: Preamble::Elsewhere,
        shim_arguments: vec!["--ask-as".to_owned(), "ask_human".to_owned()],
        remembered: remembered(launch.session, &folder)?,
        reach: if launch.permissions == Permissions::Read { Reach::Read } else { Reach::Write },
        files: vec![
            private(folder.join("settings.json"), settings.to_string()),
            private(folder.join("GEMINI.md"), launch.preamble.to_owned()),
            private(rules, permissions::rules(Permissions::Full, &options, &[])),
        ],
        allow: options.allow,
        ..Bridged::default()
    })
}

fn remembered(session: Session<'_>, folder: &std::path::Path) -> Result<Option<Remembered>, Fault> {
    let Session::Resume(id) = session else { return Ok(None) };
    let unknown = || Fault::new("session_unknown", "the recorded session id is not one of Gemini CLI's");
    let id = UniqueId::parse(id).ok_or_else(unknown)?.to_string();
    let beginning = id.get(..OF_ID).unwrap_or(&id);
    Ok(Some(Remembered {
        folder: folder.join("tmp"),
        within: "chats".to_owned(),
        beginning: "session-".to_owned(),
        ending: format!("-{beginning}.jsonl"),
    }))
}
