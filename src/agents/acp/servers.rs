//! The shim and the person's own servers, as the protocol writes them.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::{Bridged, Secrets};
use crate::{
    agents::{
        Launch, PrivateFile, SERVER_NAME,
        mcp_config::{Limit, Wiring, own_servers, shim_environment},
    },
    ids::Secret,
    vocabulary::Fault,
};

/// They hold the token, or the files do.
#[derive(Debug)]
pub(super) struct Servers {
    /// One for each.
    pub(super) entries: Vec<Value>,
    /// What they read.
    pub(super) files: Vec<PrivateFile>,
}

/// Those of a run of `launch`, given as `bridged` wants them.
pub(super) fn servers(launch: &Launch<'_>, bridged: &Bridged) -> Result<Servers, Fault> {
    let Launch { shim, socket, token, execution, .. } = *launch;
    let env = shim_environment(&Wiring { shim, socket, token, execution }, Limit::Unknown);
    let own = json!({"command": shim, "args": bridged.shim_arguments, "env": env});
    let mut servers = Servers { entries: Vec::new(), files: Vec::new() };
    for (name, entry) in [(SERVER_NAME.to_owned(), own)].into_iter().chain(own_servers(launch)?) {
        let entry = match bridged.secrets {
            Secrets::Protocol => in_protocol(&name, &entry),
            Secrets::File => in_file(launch, &name, &entry, &mut servers.files)?,
        };
        servers.entries.push(entry);
    }
    Ok(servers)
}

fn in_protocol(name: &str, entry: &Value) -> Value {
    match entry.get("url") {
        Some(url) => {
            json!({"type": "http", "name": name, "url": url, "headers": pairs(fields(entry, "headers"))})
        }
        None => json!({
            "name": name, "command": entry["command"], "args": entry["args"], "env": pairs(fields(entry, "env")),
        }),
    }
}

/// A shell reads the variables out of a file that only this user may read, and becomes the server.
fn in_file(
    launch: &Launch<'_>,
    name: &str,
    entry: &Value,
    files: &mut Vec<PrivateFile>,
) -> Result<Value, Fault> {
    if entry.get("url").is_some() {
        if fields(entry, "headers").is_some_and(|headers| !headers.is_empty()) {
            let message = format!(
                "the MCP server `{name}` is given a secret in a header, and everyone would see it in the arguments of \
                 this agent's program"
            );
            return Err(Fault::new("option_invalid", message).hinted("use the agent `claude` with it"));
        }
        return Ok(in_protocol(name, entry));
    }
    let path = launch.folder.join(format!("server-{name}.env"));
    let script = r#". "$1"; shift; exec "$@""#;
    let mut arguments = vec![json!("-c"), json!(script), json!("sh"), json!(path), entry["command"].clone()];
    arguments.extend(entry["args"].as_array().cloned().unwrap_or_default());
    files.push(PrivateFile { path, contents: Secret::new(exports(fields(entry, "env"))) });
    Ok(json!({"name": name, "command": "/bin/sh", "args": arguments, "env": []}))
}

fn exports(variables: Option<&Map<String, Value>>) -> String {
    let mut text = String::new();
    for (name, value) in variables.into_iter().flatten() {
        let value = value.as_str().unwrap_or_default().replace('\'', r"'\''");
        // Writing to a string does not fail.
        let _ = writeln!(text, "export {name}='{value}'");
    }
    text
}

fn fields<'e>(entry: &'e Value, key: &str) -> Option<&'e Map<String, Value>> {
    entry.get(key).and_then(Value::as_object)
}

fn pairs(fields: Option<&Map<String, Value>>) -> Vec<Value> {
    fields.into_iter().flatten().map(|(name, value)| json!({"name": name, "value": value})).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_leaves_its_quotes() {
        let variables = json!({"A": "x'; touch /tmp/evil; '", "B": "$HOME `id`\n"});
        let text = exports(variables.as_object());
        assert!(text.contains(r"export A='x'\''; touch /tmp/evil; '\'''"), "{text}");
        assert!(text.contains("export B='$HOME `id`\n'\n"), "{text}");
    }
}
