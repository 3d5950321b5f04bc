//! The command line of one run.

use std::{collections::BTreeMap, ffi::OsString};

use super::{
    denied::LOGGED,
    login,
    options::Options,
    permissions::{Hold, hold},
    setting::{Setting, Value, arguments, text},
};
use crate::{
    agents::{
        AgentCommand, Launch, Session,
        foreign::plain_message,
        mcp_config::{Limit, SERVER_NAME, TOOL_LIMIT_SECONDS, Wiring, shim_environment},
        model_name::check_model,
    },
    ids::{Secret, UniqueId},
    vocabulary::{EXECUTION_VARIABLE, Fault, McpServer, Permissions, ServerWay},
};

/// The variable that names another place of the provider. Codex itself reads it no more.
pub(super) const ENDPOINT: &str = "OPENAI_BASE_URL";

/// What Codex itself is given and the agent's commands are not. It writes for people when a limit is over, in the time
/// zone of its process.
const OWN: [(&str, &str); 2] = [("RUST_LOG", LOGGED), ("TZ", "UTC0")];

/// What is off in every run: it asks or tells a person who is not there, spawns, plans or waits for what will not come,
/// goes out into the web, or brings in what the person did not give this run.
pub(super) const OFF: [&str; 22] = [
    "agents.enabled",
    "analytics.enabled",
    "check_for_update_on_startup",
    "features.apps",
    "features.browser_use",
    "features.computer_use",
    "features.goals",
    "features.hooks",
    "features.image_generation",
    "features.memories",
    "features.multi_agent",
    "features.multi_agent_v2",
    "features.plugins",
    "features.shell_snapshot",
    "features.skill_mcp_dependency_install",
    "features.sleep_tool",
    "features.tool_suggest",
    // Without a network it would wait for ever, and callbox knows better when to try again.
    "features.unbounded_connection_retries",
    "include_collaboration_mode_instructions",
    "skills.bundled.enabled",
    "skills.include_instructions",
    "tools.experimental_request_user_input.enabled",
];

/// Builds it. The message goes in on standard input: arguments can be read by everyone, are limited to 128 KiB, and are
/// parsed.
pub(super) fn command(launch: &Launch<'_>) -> Result<AgentCommand, Fault> {
    let options = Options::read(launch.options)?;
    check_model(launch.model)?;
    let Hold { settings: held, reach } = hold(launch.permissions, launch.isolation, launch.directory);
    let (shim, mut environment) = shim(launch);
    let (servers, values) = own_servers(launch)?;
    let commands = of_commands(launch, environment.keys().chain(values.keys()));
    environment.extend(values);
    environment.extend(OWN.map(|(name, value)| (name.to_owned(), Secret::new(value))));

    let mut arguments: Vec<OsString> = vec!["exec".into()];
    let resumed = match launch.session {
        Session::New(_) => None,
        Session::Resume(id) => Some(session(id)?),
    };
    arguments.extend(resumed.is_some().then(|| "resume".into()));
    // What the person and the repository configured is not read, whatever they trust.
    arguments.extend(
        ["--json", "--skip-git-repo-check", "--ignore-user-config", "--ignore-rules"].map(OsString::from),
    );
    arguments.extend(launch.model.map(|name| format!("--model={name}").into()));
    let effort = options.effort.map(|effort| text("model_reasoning_effort", effort));
    let off = OFF.map(|name| (name.to_owned(), Value::Is(false)));
    let all = held.into_iter().chain(off).chain([text("web_search", "disabled")]).chain(endpoint(launch)?);
    for setting in all.chain(effort).chain(shim).chain(servers).chain(commands) {
        arguments.extend(self::arguments(&setting));
    }
    arguments.extend(resumed.map(OsString::from));
    // Standard input is the prompt.
    arguments.push("-".into());
    let input = message(launch, arguments.iter().any(|argument| argument == "resume"))?.into_bytes();
    Ok(AgentCommand {
        program: launch.program.to_owned(),
        arguments,
        environment,
        input,
        reach,
        files: Vec::new(),
    })
}

/// Resuming needs the conversation's own id: with anything else Codex begins a new one and says nothing of it.
fn session(id: &str) -> Result<String, Fault> {
    let unknown = || Fault::new("session_unknown", "the recorded session id is not one of Codex's");
    UniqueId::parse(id).map(|id| id.to_string()).ok_or_else(unknown)
}

/// The standing instructions stand before the first message: an argument would show them to everyone. Nothing of a
/// message is a command or a reference to Codex, except that `$name` brings in the text of the skill `name`.
fn message(launch: &Launch<'_>, resumed: bool) -> Result<String, Fault> {
    let text = plain_message(launch.message)?;
    Ok(if resumed || launch.preamble.is_empty() { text } else { format!("{}\n\n{text}", launch.preamble) })
}

/// Where the provider is, in an argument, since Codex takes it in no other way.
pub(super) fn endpoint(launch: &Launch<'_>) -> Result<Option<Setting>, Fault> {
    let Some(url) = launch.environment.get(ENDPOINT).map(Secret::expose).filter(|url| !url.is_empty()) else {
        return Ok(None);
    };
    if url.contains(['@', '?', '#']) {
        let message =
            format!("`{ENDPOINT}` holds more than a place, and everyone would see it in Codex's arguments");
        return Err(
            Fault::new("option_invalid", message).hinted("leave user, password and parameters out of it")
        );
    }
    Ok(Some(text("openai_base_url", url)))
}

/// The shim, and the variables that it is to be given. It is needed, and may be called without asking anyone.
fn shim(launch: &Launch<'_>) -> (Vec<Setting>, BTreeMap<String, Secret>) {
    let Launch { shim, socket, token, execution, .. } = *launch;
    let variables = shim_environment(&Wiring { shim, socket, token, execution }, Limit::Told);
    let variables: BTreeMap<String, Secret> = variables
        .into_iter()
        .map(|(name, value)| (name, Secret::new(value.as_str().unwrap_or_default())))
        .collect();
    let key = |name: &str| format!("mcp_servers.{SERVER_NAME}.{name}");
    let settings = vec![
        text(key("command"), shim.to_string_lossy()),
        (key("env_vars"), Value::Texts(variables.keys().cloned().collect())),
        text(key("default_tools_approval_mode"), "approve"),
        (key("required"), Value::Is(true)),
        (key("tool_timeout_sec"), Value::Number(TOOL_LIMIT_SECONDS)),
    ];
    (settings, variables)
}

/// The person's own servers, and the values they need. What their tools do nobody here knows, and a Codex that holds
/// nothing itself asks for no tool: so who may only look is given none of them.
fn own_servers(launch: &Launch<'_>) -> Result<(Vec<Setting>, BTreeMap<String, Secret>), Fault> {
    let (mut settings, mut values) = (Vec::new(), BTreeMap::new());
    let given = if launch.permissions == Permissions::Read { &[] } else { launch.servers };
    for server in given {
        let key = |name: &str| format!("mcp_servers.{}.{name}", server.name);
        match &server.way {
            ServerWay::Command { command, args, env } => {
                settings.push(text(key("command"), command));
                settings.push((key("args"), Value::Texts(args.clone())));
                settings.push((key("env_vars"), Value::Texts(env.clone())));
            }
            ServerWay::Url { url, bearer_env } => {
                settings.push(text(key("url"), url));
                settings.extend(bearer_env.as_ref().map(|name| text(key("bearer_token_env_var"), name)));
            }
        }
        // Otherwise nobody is told of one that does not start, and the model is asked before one is there.
        settings.push((key("required"), Value::Is(true)));
        settings.push(text(key("default_tools_approval_mode"), "approve"));
        for name in McpServer::variables(server) {
            let value = launch.values.get(name).ok_or_else(|| {
                let message =
                    format!("the variable `{name}` of the MCP server `{}` has no value here", server.name);
                Fault::new("variable_missing", message)
            })?;
            values.insert(name.clone(), value.clone());
        }
    }
    Ok((settings, values))
}

/// What the agent's commands are not given of Codex's own environment: what only servers need, the key, and what is for
/// Codex alone, for which they are given what the run has.
fn of_commands<'a>(launch: &Launch<'_>, of_servers: impl Iterator<Item = &'a String>) -> Vec<Setting> {
    let is_theirs = |name: &String| name != EXECUTION_VARIABLE && !launch.environment.contains_key(name);
    let mut kept: Vec<String> = of_servers.filter(|name| is_theirs(name)).cloned().collect();
    kept.push(login::KEY.to_owned());
    let (mut set, own) = (Vec::new(), OWN.map(|(name, _)| name.to_owned()));
    for name in own {
        match launch.environment.get(&name) {
            Some(value) => set.push((name, value.expose().to_owned())),
            None => kept.push(name),
        }
    }
    let set = (!set.is_empty()).then(|| ("shell_environment_policy.set".to_owned(), Value::Named(set)));
    [("shell_environment_policy.exclude".to_owned(), Value::Texts(kept))].into_iter().chain(set).collect()
}

#[cfg(test)]
mod tests;
