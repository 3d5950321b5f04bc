//! The MCP configuration that wires a shim to an agent.

use serde_json::{Map, Value, json};

use super::Launch;
use crate::vocabulary::{
    EXECUTION_VARIABLE, Fault, SOCKET_VARIABLE, ServerWay, TOKEN_VARIABLE, TOOL_LIMIT_VARIABLE,
};

/// The name under which agents know the shim.
pub const SERVER_NAME: &str = "callbox";

/// After how many seconds an agent is told to give up on a call of one of the four tools: long enough
/// for a store to come back, short enough that nobody takes the agent for hung.
pub(super) const TOOL_LIMIT_SECONDS: u64 = 300;

/// `{"mcpServers": {"callbox": {…}}}`, the form Claude Code, Gemini CLI and most others read; `extra`
/// holds the fields of the server that only one program knows. It contains the token.
pub(super) fn mcp_servers(launch: &Launch<'_>, extra: Map<String, Value>) -> Value {
    let mut server = json!({
        "type": "stdio",
        "command": launch.shim,
        "args": [],
        "env": {
            SOCKET_VARIABLE: launch.socket,
            TOKEN_VARIABLE: launch.token.expose(),
            EXECUTION_VARIABLE: launch.execution.to_string(),
            TOOL_LIMIT_VARIABLE: TOOL_LIMIT_SECONDS.to_string(),
        },
    });
    if let Value::Object(fields) = &mut server {
        fields.extend(extra);
    }
    json!({ "mcpServers": { SERVER_NAME: server } })
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
