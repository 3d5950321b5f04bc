//! The file that tells a program of its MCP servers, in the form that it reads.

use serde_json::{Map, Value, json};

use crate::{
    agents::{
        Launch, SERVER_NAME,
        mcp_config::{mcp_servers, own_servers},
    },
    vocabulary::{AgentDescription, Fault, McpForm},
};

/// What it holds, the token among it; `None` where there is none.
pub(super) fn mcp_file(description: &AgentDescription, launch: &Launch<'_>) -> Result<Option<String>, Fault> {
    if description.mcp == McpForm::None {
        return Ok(None);
    }
    let mut shim = mcp_servers(launch, Map::new());
    let mut servers = Map::new();
    servers.insert(SERVER_NAME.to_owned(), shim["mcpServers"][SERVER_NAME].take());
    servers.extend(own_servers(launch)?);
    let key = match description.mcp {
        McpForm::Opencode => {
            servers.values_mut().for_each(as_opencode_reads_it);
            "mcp"
        }
        McpForm::McpServers | McpForm::None => "mcpServers",
    };
    for server in servers.values_mut().filter_map(Value::as_object_mut) {
        server.extend(description.mcp_fields.clone());
    }
    Ok(Some(json!({ key: servers }).to_string()))
}

fn as_opencode_reads_it(server: &mut Value) {
    let mut take = |key: &str| server.get_mut(key).map(Value::take).unwrap_or_default();
    let (command, arguments, environment) = (take("command"), take("args"), take("env"));
    let (url, headers) = (take("url"), take("headers"));
    *server = if command.is_null() {
        json!({"type": "remote", "url": url, "headers": if headers.is_null() { json!({}) } else { headers }, "enabled": true})
    } else {
        let words: Vec<Value> =
            std::iter::once(command).chain(arguments.as_array().cloned().unwrap_or_default()).collect();
        json!({"type": "local", "command": words, "environment": environment, "enabled": true})
    };
}
