//! The MCP configuration that wires a shim to an agent.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::Launch;
use crate::{
    ids::{ExecutionNumber, Secret},
    vocabulary::{
        EXECUTION_VARIABLE, Fault, SOCKET_VARIABLE, ServerWay, TOKEN_VARIABLE, TOOL_LIMIT_VARIABLE,
    },
};

/// The name under which agents know the shim.
pub const SERVER_NAME: &str = "callbox";

/// After how many seconds an agent is told to give up on a call of one of the four tools: long enough
/// for a store to come back, short enough that nobody takes the agent for hung.
pub(super) const TOOL_LIMIT_SECONDS: u64 = 300;

/// What a shim is wired with. All paths are absolute.
#[derive(Debug, Clone, Copy)]
pub struct Wiring<'a> {
    /// The shim.
    pub shim: &'a Path,
    /// The socket of the store's agent plane.
    pub socket: &'a Path,
    /// What the shim proves itself with.
    pub token: &'a Secret,
    /// The execution.
    pub execution: ExecutionNumber,
}

/// Whether the program is told after how long it gives up on a call, so that the shim can be told too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    /// It is told [`TOOL_LIMIT_SECONDS`].
    Told,
    /// Nobody knows.
    Unknown,
}

/// `{"mcpServers": {"callbox": {…}}}`, the form Claude Code, Gemini CLI and most others read; `extra`
/// holds the fields of the server that only one program knows. It contains the token.
pub(super) fn mcp_servers(launch: &Launch<'_>, extra: Map<String, Value>) -> Value {
    let Launch { shim, socket, token, execution, .. } = *launch;
    let mut server = shim_server(&Wiring { shim, socket, token, execution }, Limit::Told);
    server.extend(extra);
    json!({ "mcpServers": { SERVER_NAME: server } })
}

/// The fields of the shim's entry that only Claude Code knows.
pub(super) fn claude_fields() -> Map<String, Value> {
    let fields = [
        // Otherwise the model sees only the names of the tools and has to search for them first.
        ("alwaysLoad", json!(true)),
        ("timeout", json!(TOOL_LIMIT_SECONDS * 1000)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The fields of the shim's entry for Gemini CLI. It drops a tool of the name `ask_user`, and offers no tool of a server
/// that it does not trust.
pub(super) fn gemini_fields() -> Map<String, Value> {
    let fields = [
        ("args", json!(["--ask-as", "ask_human"])),
        ("trust", json!(true)),
        ("timeout", json!(TOOL_LIMIT_SECONDS * 1000)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The shim's own entry there.
pub(super) fn shim_server(wiring: &Wiring<'_>, limit: Limit) -> Map<String, Value> {
    let fields = [
        ("type", json!("stdio")),
        ("command", json!(wiring.shim)),
        ("args", json!([])),
        ("env", shim_environment(wiring, limit).into()),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The variables a shim reads. The token is one.
pub(super) fn shim_environment(wiring: &Wiring<'_>, limit: Limit) -> Map<String, Value> {
    let mut variables = vec![
        (SOCKET_VARIABLE, json!(wiring.socket)),
        (TOKEN_VARIABLE, json!(wiring.token.expose())),
        (EXECUTION_VARIABLE, json!(wiring.execution.to_string())),
    ];
    if limit == Limit::Told {
        variables.push((TOOL_LIMIT_VARIABLE, json!(TOOL_LIMIT_SECONDS.to_string())));
    }
    variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The entry of each of the person's own servers, by its name, with the values it needs: secrets among them.
pub(super) fn own_servers(launch: &Launch<'_>) -> Result<Map<String, Value>, Fault> {
    let value = |server: &str, name: &String| {
        let value = launch.values.get(name).map(|value| value.expose().to_owned());
        let message = || format!("the variable `{name}` of the MCP server `{server}` has no value here");
        value.ok_or_else(|| Fault::new("variable_missing", message()))
    };
    let entry = |(name, way): (&String, &ServerWay)| {
        Ok(match way {
            ServerWay::Command { command, args, env } => {
                let env = env.iter().map(|variable| Ok((variable.clone(), value(name, variable)?.into())));
                let env: Map<String, Value> = env.collect::<Result<_, Fault>>()?;
                json!({"type": "stdio", "command": command, "args": args, "env": env})
            }
            ServerWay::Url { url, bearer_env: None } => json!({"type": "http", "url": url}),
            ServerWay::Url { url, bearer_env: Some(variable) } => {
                let bearer = format!("Bearer {}", value(name, variable)?);
                json!({"type": "http", "url": url, "headers": {"Authorization": bearer}})
            }
        })
    };
    let servers = launch.servers.iter();
    servers.map(|server| Ok((server.name.clone(), entry((&server.name, &server.way))?))).collect()
}
