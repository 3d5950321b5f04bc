//! The MCP configuration that wires a shim to an agent.

use serde_json::{Map, Value, json};

use super::Launch;
use crate::vocabulary::{EXECUTION_VARIABLE, SOCKET_VARIABLE, TOKEN_VARIABLE, TOOL_LIMIT_VARIABLE};

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
