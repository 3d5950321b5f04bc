//! The settings of one run.

use serde_json::{Map, Value, json};

use super::{login::Login, options::Options};
use crate::{
    agents::{
        Launch,
        mcp_config::{gemini_fields, mcp_servers, own_servers},
    },
    vocabulary::{Fault, McpServer},
};

/// How often the provider is asked before the program says that it refuses: callbox itself waits for it, and tells
/// the person meanwhile. Each refusal makes it wait longer, 5 to 35 seconds.
pub(super) const ATTEMPTS: u32 = 3;

/// They hold the token.
pub(super) fn settings(launch: &Launch<'_>, login: Login, options: &Options) -> Result<String, Fault> {
    check_values(launch)?;
    Ok(settings_with(&servers(launch)?, login, options).to_string())
}

/// The settings of a run that is given `servers` by them.
pub(super) fn settings_with(servers: &Value, login: Login, options: &Options) -> Value {
    let mut settings = json!({
        "advanced": {"ignoreLocalEnv": true},
        "general": {
            "enableAutoUpdate": false,
            "enableAutoUpdateNotification": false,
            "maxAttempts": ATTEMPTS,
            "plan": {"enabled": false},
            // They live as long as the sandbox they speak of.
            "sessionRetention": {"enabled": false},
        },
        "ide": {"enabled": false},
        "mcpServers": servers,
        "privacy": {"usageStatisticsEnabled": false},
        "security": {
            // Left to itself the program looks into the repository's `.gemini/.env` before it logs in, and takes
            // endpoints and whatever else from there. What `external` leaves out is that look.
            "auth": {"selectedType": login.word(), "useExternal": true},
            "folderTrust": {"enabled": true},
        },
        "telemetry": {"enabled": false},
        "tools": {"sandbox": false},
    });
    if let Some(turns) = options.max_turns {
        settings["model"] = json!({"maxSessionTurns": turns});
    }
    settings
}

/// The shim and the person's own servers.
fn servers(launch: &Launch<'_>) -> Result<Value, Fault> {
    let mut shim = mcp_servers(launch, gemini_fields());
    let mut servers = shim.get_mut("mcpServers").map(Value::take).unwrap_or_default();
    if let Value::Object(servers) = &mut servers {
        servers.extend(own_servers(launch)?);
        servers.values_mut().filter_map(Value::as_object_mut).for_each(without_kind);
    }
    Ok(servers)
}

/// A command is told from an address by its fields alone.
fn without_kind(server: &mut Map<String, Value>) {
    if server.contains_key("command") {
        server.remove("type");
    }
}

/// Gemini CLI fills `$NAME` and `${NAME}` in this file from its environment, and a secret may hold anything.
fn check_values(launch: &Launch<'_>) -> Result<(), Fault> {
    let variables = launch.servers.iter().flat_map(McpServer::variables);
    let mut filled =
        variables.filter(|name| launch.values.get(*name).is_some_and(|value| value.expose().contains('$')));
    filled.next().map_or(Ok(()), |name| {
        let message = format!(
            "the variable `{name}` of an MCP server holds `$`, behind which Gemini CLI would take the rest for the name of another"
        );
        Err(Fault::new("option_invalid", message))
    })
}
