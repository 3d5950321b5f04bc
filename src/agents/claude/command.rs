//! The command line of one run.

use std::{collections::BTreeMap, ffi::OsString};

use serde_json::Value;

use super::{
    options::{Contained, Options},
    permissions,
};
use crate::{
    agents::{
        AgentCommand, Launch, PrivateFile, Reach, Session,
        foreign::quoted_message,
        mcp_config::{claude_fields, mcp_servers, own_servers},
        model_name::check_model,
    },
    ids::{Secret, UniqueId},
    vocabulary::{Fault, McpServer},
};

/// Builds it. The message goes in on standard input: arguments can be read by everyone, are limited
/// to 128 KiB, and are parsed.
pub(super) fn command(launch: &Launch<'_>) -> Result<AgentCommand, Fault> {
    let options = Options::read(launch.options)?;
    check_model(launch.model)?;
    permissions::check(launch.permissions, &options, launch.user)?;
    let configuration = launch.folder.join("mcp.json");
    let preamble = launch.folder.join("preamble.txt");

    let mut arguments: Vec<OsString> =
        ["-p", "--output-format=stream-json", "--verbose", "--strict-mcp-config", "--setting-sources=user"]
            .map(OsString::from)
            .to_vec();
    arguments.extend(
        permissions::arguments(launch.permissions, &options, launch.servers).into_iter().map(OsString::from),
    );
    arguments.push(session(launch.session)?.into());
    let chosen = [
        ("--model", launch.model.map(str::to_owned)),
        ("--effort", options.effort),
        ("--max-turns", options.max_turns.map(|turns| turns.to_string())),
        // It counts from the start of this process, also where it resumes a conversation.
        ("--max-budget-usd", launch.cost_left_usd.map(|dollars| dollars.to_string())),
    ];
    for (flag, value) in chosen {
        if let Some(value) = value {
            arguments.push(format!("{flag}={value}").into());
        }
    }
    // These take several values, so what follows must be another flag or nothing.
    for (flag, path) in [
        ("--append-system-prompt-file", preamble.as_path()),
        ("--mcp-config", configuration.as_path()),
        ("--add-dir", launch.directory),
    ] {
        arguments.push(flag.into());
        arguments.push(path.into());
    }

    Ok(AgentCommand {
        program: launch.program.to_owned(),
        arguments,
        environment: environment(options.contained),
        input: quoted_message(launch.message)?.into_bytes(),
        reach: Reach::Write,
        files: vec![
            PrivateFile { path: configuration, contents: Secret::new(mcp_configuration(launch)?) },
            PrivateFile { path: preamble, contents: Secret::new(launch.preamble) },
        ],
    })
}

/// Resuming needs the session's own id: Claude Code takes anything else for a name to search by.
fn session(session: Session<'_>) -> Result<String, Fault> {
    match session {
        Session::New(id) => Ok(format!("--session-id={id}")),
        Session::Resume(id) => match UniqueId::parse(id) {
            Some(id) => Ok(format!("--resume={id}")),
            None => Err(Fault::new("session_unknown", "the recorded session id is not one of Claude Code's")),
        },
    }
}

fn mcp_configuration(launch: &Launch<'_>) -> Result<String, Fault> {
    check_values(launch)?;
    let mut configuration = mcp_servers(launch, claude_fields());
    if let Some(Value::Object(servers)) = configuration.get_mut("mcpServers") {
        servers.extend(own_servers(launch)?);
    }
    Ok(configuration.to_string())
}

/// Claude Code fills `${NAME}` in this file from its environment, and a secret may hold anything.
fn check_values(launch: &Launch<'_>) -> Result<(), Fault> {
    let variables = launch.servers.iter().flat_map(McpServer::variables);
    let mut filled =
        variables.filter(|name| launch.values.get(*name).is_some_and(|value| value.expose().contains("${")));
    filled.next().map_or(Ok(()), |name| {
        let message = format!(
            "the variable `{name}` of an MCP server holds `${{`, which Claude Code would take for the name of another"
        );
        Err(Fault::new("option_invalid", message))
    })
}

/// What every run of Claude Code is given.
pub(super) fn environment(contained: Contained) -> BTreeMap<String, Secret> {
    let mut environment: BTreeMap<String, Secret> = [
        // `--add-dir` names the sandbox so that its CLAUDE.md is read although its settings are not.
        "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD",
        // Memory is kept per directory, and no other run will stand in this one.
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
        // A task in the background would open further turns behind the result that ended the run.
        "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS",
        "CLAUDE_CODE_DISABLE_CRON",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "CLAUDE_CODE_DISABLE_TERMINAL_TITLE",
        "DISABLE_AUTOUPDATER",
    ]
    .into_iter()
    .map(|name| (name.to_owned(), Secret::new("1")))
    .collect();
    if contained == Contained::Yes {
        environment.insert("IS_SANDBOX".to_owned(), Secret::new("1"));
    }
    environment
}

#[cfg(test)]
mod tests;
