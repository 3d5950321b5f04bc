//! The tables `[agents.NAME.mcp_servers.SERVER]`: MCP servers of the person's own.

use std::path::Path;

use crate::{
    document::{Entry, Faults, Node, entries, list, text, unknown},
    taskfile::check_variable,
    vocabulary::{McpServer, ServerWay},
};

/// The name under which every agent knows the shim.
const RESERVED: &str = "callbox";
/// The longest name, in characters: agent programs put it before the name of each tool.
const MAX_NAME: usize = 40;
/// The most servers of one agent, arguments of one server and variables of one.
const MOST: usize = 50;
/// Every key of such a table.
const NAMES: [&str; 5] = ["command", "args", "env", "url", "bearer_env"];

/// Reads all tables in `node`, which `field` names; a relative path of a program is relative to `directory`.
pub(super) fn servers(node: &Node, field: &str, directory: &Path, faults: &mut Faults) -> Vec<McpServer> {
    let tables = entries(node, field, faults).unwrap_or_default();
    if tables.len() > MOST {
        faults.field(node.line, field, format!("must have at most {MOST} entries"));
    }
    tables.iter().filter_map(|entry| server(entry, field, directory, faults)).collect()
}

fn server(entry: &Entry, field: &str, directory: &Path, faults: &mut Faults) -> Option<McpServer> {
    let within = format!("{field}.{}", entry.key);
    check_name(entry, &within, faults);
    let before = faults.count();
    let mut found = Found::default();
    for entry in entries(&entry.value, &within, faults)? {
        let key = format!("{within}.{}", entry.key);
        match entry.key.as_str() {
            "command" => found.command = word(&entry.value, &key, faults),
            "args" => found.args = Some(words(&entry.value, &key, faults)),
            "env" => found.env = Some(variables(&entry.value, &key, faults)),
            "url" => found.url = address(&entry.value, &key, faults),
            "bearer_env" => found.bearer_env = variable(&entry.value, &key, faults),
            _ => unknown(entry, &within, NAMES, faults),
        }
    }
    // What was given and is wrong must not be missed as well.
    if faults.count() > before {
        return None;
    }
    match found.way(directory) {
        Ok(way) => Some(McpServer { name: entry.key.clone(), way }),
        Err(reason) => {
            faults.field(entry.line, within, reason);
            None
        }
    }
}

#[derive(Default)]
struct Found {
    command: Option<String>,
    args: Option<Vec<String>>,
    env: Option<Vec<String>>,
    url: Option<String>,
    bearer_env: Option<String>,
}

impl Found {
    fn way(self, directory: &Path) -> Result<ServerWay, &'static str> {
        match (self.command, self.url) {
            (Some(_), Some(_)) => Err("has both a `command` and a `url`: it is reached in one way"),
            (None, None) => Err("needs a `command` that starts it, or the `url` where it listens"),
            (Some(_), None) if self.bearer_env.is_some() => {
                Err("has a `bearer_env`, which goes with a `url`")
            }
            (None, Some(_)) if self.args.is_some() || self.env.is_some() => {
                Err("has `args` or `env`, which go with a `command`")
            }
            (Some(command), None) => Ok(ServerWay::Command {
                // A name without a slash is looked for on the PATH, as by a shell.
                command: if command.contains('/') {
                    directory.join(command).to_string_lossy().into_owned()
                } else {
                    command
                },
                args: self.args.unwrap_or_default(),
                env: self.env.unwrap_or_default(),
            }),
            (None, Some(url)) => Ok(ServerWay::Url { url, bearer_env: self.bearer_env }),
        }
    }
}

/// Agent programs write `mcp__SERVER__TOOL` or the like, and read it again.
fn check_name(entry: &Entry, within: &str, faults: &mut Faults) {
    let name = &entry.key;
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if name.eq_ignore_ascii_case(RESERVED) {
        faults.field(entry.line, within, "has the name of callbox's own server: give yours another one");
    } else if !letters || name.is_empty() || name.len() > MAX_NAME || name.contains("__") {
        let wanted = format!(
            "has no usable name: it must be 1 to {MAX_NAME} letters, digits, `-` and single `_`, since agents put it \
             before the names of tools"
        );
        faults.field(entry.line, within, wanted);
    }
}

fn word(node: &Node, field: &str, faults: &mut Faults) -> Option<String> {
    let given = text(node, field, faults)?;
    if given.trim().is_empty() || given.contains('\0') {
        faults.field(node.line, field, "is empty, or holds what no argument can");
        return None;
    }
    Some(given.to_owned())
}

fn words(node: &Node, field: &str, faults: &mut Faults) -> Vec<String> {
    let items = few(node, field, faults);
    let words = items.iter().filter_map(|item| text(item, field, faults).map(str::to_owned));
    words.collect()
}

fn variables(node: &Node, field: &str, faults: &mut Faults) -> Vec<String> {
    let items = few(node, field, faults);
    items.iter().filter_map(|item| variable(item, field, faults)).collect()
}

fn few<'a>(node: &'a Node, field: &str, faults: &mut Faults) -> &'a [Node] {
    let items = list(node, field, faults).unwrap_or_default();
    if items.len() > MOST {
        faults.field(node.line, field, format!("must have at most {MOST} entries"));
    }
    items
}

fn variable(node: &Node, field: &str, faults: &mut Faults) -> Option<String> {
    let name = text(node, field, faults)?;
    if name.contains('=') {
        let wanted =
            "must hold names of variables alone: their values stay in your environment or in `env_file`";
        faults.field(node.line, field, wanted);
        return None;
    }
    check_variable(name, node.line, field, faults);
    Some(name.to_owned())
}

fn address(node: &Node, field: &str, faults: &mut Faults) -> Option<String> {
    let given = text(node, field, faults)?;
    let fine = ["http://", "https://"]
        .iter()
        .any(|scheme| given.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty()))
        && given.chars().all(|letter| letter.is_ascii_graphic());
    if !fine {
        faults.field(node.line, field, "must be an address that begins with `http://` or `https://`");
    }
    fine.then(|| given.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::read_toml;

    fn read(text: &str) -> Result<Vec<McpServer>, Vec<String>> {
        let tree = read_toml(text).unwrap();
        let mut faults = Faults::default();
        let servers = servers(&tree, "s", Path::new("/conf"), &mut faults);
        faults.into_result(servers).map_err(|faults| faults.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_server_is_a_command_or_an_address_with_names_of_variables() {
        let text = "[tracker]\ncommand = './bin/tracker'\nargs = ['--stdio', '']\nenv = ['TOKEN']\n\
                    [far]\nurl = 'https://mcp.example/x'\nbearer_env = 'KEY'\n[npx]\ncommand = 'npx'\n";
        let servers = read(text).unwrap();
        let names: Vec<&str> = servers.iter().map(|server| server.name.as_str()).collect();
        assert_eq!(names, ["tracker", "far", "npx"]);
        let (args, env) = (vec!["--stdio".to_owned(), String::new()], vec!["TOKEN".to_owned()]);
        assert_eq!(
            servers[0].way,
            ServerWay::Command { command: "/conf/./bin/tracker".to_owned(), args, env }
        );
        let url = "https://mcp.example/x".to_owned();
        assert_eq!(servers[1].way, ServerWay::Url { url, bearer_env: Some("KEY".to_owned()) });
        let needed: Vec<&String> = servers.iter().flat_map(McpServer::variables).collect();
        assert_eq!(needed, ["TOKEN", "KEY"]);
    }

    #[test]
    fn what_no_agent_could_use_is_refused_with_its_line_and_key() {
        for (text, wanted) in [
            ("[callbox]\ncommand = 'x'", "1: `s.callbox` has the name of callbox's own server"),
            ("[Callbox]\ncommand = 'x'", "1: `s.Callbox` has the name of callbox's own server"),
            ("['a b']\ncommand = 'x'", "1: `s.a b` has no usable name"),
            ("[a__b]\ncommand = 'x'", "1: `s.a__b` has no usable name"),
            ("[a]\n", "1: `s.a` needs a `command` that starts it, or the `url`"),
            ("[a]\ncommand = 'x'\nurl = 'https://x'", "1: `s.a` has both"),
            ("[a]\nurl = 'https://x'\nargs = []", "1: `s.a` has `args` or `env`"),
            ("[a]\ncommand = 'x'\nbearer_env = 'K'", "1: `s.a` has a `bearer_env`"),
            ("[a]\ncommand = 'x'\nenv = ['K=secret']", "3: `s.a.env` must hold names of variables alone"),
            ("[a]\ncommand = 'x'\nenv = ['CALLBOX_TOKEN']", "3: `s.a.env` names `CALLBOX_TOKEN`"),
            ("[a]\ncommand = 'x'\nargs = [5]", "3: `s.a.args` must be text, not a number"),
            ("[a]\nurl = 'ftp://x'", "2: `s.a.url` must be an address"),
            ("[a]\ncommand = 'x'\nenvs = []", "3: `s.a.envs` is not known: did you mean `env`?"),
        ] {
            let faults = read(text).unwrap_err();
            let [fault] = &faults[..] else { panic!("{text}: {faults:#?}") };
            assert!(fault.starts_with(wanted) && !fault.contains("secret"), "{text}: {fault}");
        }
    }
}
