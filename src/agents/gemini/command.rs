//! The command line of one run.

use std::{collections::BTreeMap, ffi::OsString};

use super::{
    folder_in, home,
    login::{Login, value},
    options::Options,
    permissions, settings,
};
use crate::{
    agents::{
        AgentCommand, Launch, PrivateFile, Reach, SERVER_NAME, Session, foreign::quoted_message,
        model_name::check_model,
    },
    ids::{Secret, UniqueId},
    vocabulary::Fault,
};

/// Where the Gemini API is, unless the person names another place.
const ENDPOINT: &str = "https://generativelanguage.googleapis.com";

/// Builds it. The message goes in on standard input: arguments can be read by everyone, are limited
/// to 128 KiB, and are parsed.
pub(super) fn command(launch: &Launch<'_>) -> Result<AgentCommand, Fault> {
    let options = Options::read(launch.options)?;
    check_model(launch.model)?;
    let nowhere = || Fault::new("internal", "an agent cannot work in the root directory");
    let home = home::beside(launch.directory).ok_or_else(nowhere)?;
    let folder = folder_in(&home);
    let rules = launch.folder.join("rules.toml");
    let login = Login::of(launch.environment);

    let mut arguments: Vec<OsString> = [
        "--output-format=stream-json",
        // Without it the program refuses a folder that it was not told to trust. It is told once it has read its
        // settings, so that those of the repository are left out.
        "--skip-trust",
        permissions::mode(launch.permissions),
    ]
    .map(OsString::from)
    .to_vec();
    for flag in ["--policy=", "--admin-policy="] {
        let mut argument = OsString::from(flag);
        argument.push(&rules);
        arguments.push(argument);
    }
    // Whatever is named here may be used, unless a rule says otherwise.
    let servers = launch.servers.iter().map(|server| server.name.as_str());
    let servers = servers.chain([SERVER_NAME]).map(|name| format!("--allowed-mcp-server-names={name}"));
    arguments.extend(servers.map(OsString::from));
    arguments.extend(launch.model.map(|model| format!("--model={model}").into()));
    arguments.push(session(launch.session)?.into());

    let private = |path, contents: String| PrivateFile { path, contents: Secret::new(contents) };
    Ok(AgentCommand {
        program: launch.program.to_owned(),
        arguments,
        environment: environment(launch, login, &home.to_string_lossy()),
        input: quoted_message(launch.message)?.into_bytes(),
        reach: Reach::Write,
        files: vec![
            private(folder.join("settings.json"), settings::settings(launch, login, &options)?),
            // What a person tells every run of theirs stands there: it becomes part of the system prompt.
            private(folder.join("GEMINI.md"), launch.preamble.to_owned()),
            private(rules, permissions::rules(launch.permissions, &options, launch.servers)),
        ],
    })
}

/// Resuming needs the session's own id: Gemini CLI takes anything else for a place in a list.
fn session(session: Session<'_>) -> Result<String, Fault> {
    match session {
        Session::New(id) => Ok(format!("--session-id={id}")),
        Session::Resume(id) => match UniqueId::parse(id) {
            Some(id) => Ok(format!("--resume={id}")),
            None => Err(Fault::new("session_unknown", "the recorded session id is not one of Gemini CLI's")),
        },
    }
}

/// What every run of Gemini CLI is given, whose home is `home`.
pub(super) fn environment(launch: &Launch<'_>, login: Login, home: &str) -> BTreeMap<String, Secret> {
    let mut environment: BTreeMap<String, Secret> = [
        ("GEMINI_CLI_HOME", home),
        // Otherwise it starts itself a second time, and what is said to the first never reaches the second.
        ("GEMINI_CLI_NO_RELAUNCH", "true"),
        ("NO_BROWSER", "true"),
    ]
    .map(|(name, value)| (name.to_owned(), Secret::new(value)))
    .into();
    let mut set = |name: &str, value: &str| environment.insert(name.to_owned(), Secret::new(value));
    match login {
        // A repository could name another: what stands in the environment is taken from nowhere else.
        Login::Key => {
            set(
                "GOOGLE_GEMINI_BASE_URL",
                value(launch.environment, "GOOGLE_GEMINI_BASE_URL").unwrap_or(ENDPOINT),
            );
        }
        // It is looked for in the home that this run has instead, and then where this leads.
        Login::Person => {
            let file = home::login_file(launch.environment);
            let own = value(launch.environment, "GOOGLE_APPLICATION_CREDENTIALS");
            if let (Some(file), None) = (file, own) {
                set("GOOGLE_APPLICATION_CREDENTIALS", &file.to_string_lossy());
            }
        }
        Login::Vertex => {}
    }
    environment
}

#[cfg(test)]
mod tests;
