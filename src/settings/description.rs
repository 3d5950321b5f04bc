//! The keys of `[agents.NAME]` that describe a program.

use std::path::{Component, Path};

use serde::de::DeserializeOwned;

use crate::{
    document::{Entry, Faults, Node, Value, entries, json},
    vocabulary::{AgentDescription, AgentProtocol, LineEnd, LineRule},
};

/// Every one.
pub(super) const NAMES: [&str; 17] = [
    "command",
    "protocol",
    "fresh",
    "resume",
    "model_arguments",
    "variables",
    "environment",
    "files",
    "folders",
    "stop_signal",
    "version",
    "permissions",
    "mcp",
    "mcp_fields",
    "tool",
    "session_unknown",
    "lines",
];

/// Those of them that only a program that writes lines has any use for.
const OF_LINES: [&str; 9] =
    ["fresh", "resume", "model_arguments", "files", "mcp", "mcp_fields", "tool", "session_unknown", "lines"];

/// Reads them from the table `node`, which `within` names; `None` where something is wrong with them.
pub(super) fn description(node: &Node, within: &str, faults: &mut Faults) -> Option<AgentDescription> {
    let before = faults.count();
    let mut described = AgentDescription::default();
    let entries = entries(node, within, faults)?;
    for entry in entries {
        key(entry, &format!("{within}.{}", entry.key), &mut described, faults);
    }
    if described.protocol == AgentProtocol::Acp {
        for entry in entries.iter().filter(|entry| OF_LINES.contains(&entry.key.as_str())) {
            let message = "says nothing to a program that speaks the Agent Client Protocol";
            faults.field(entry.line, format!("{within}.{}", entry.key), message);
        }
    }
    if faults.count() == before {
        for message in missing(&described) {
            faults.field(node.line, within, message);
        }
    }
    (faults.count() == before).then_some(described)
}

fn key(entry: &Entry, field: &str, described: &mut AgentDescription, faults: &mut Faults) {
    let node = &entry.value;
    match entry.key.as_str() {
        "command" => set(&mut described.command, node, field, faults),
        "protocol" => set(&mut described.protocol, node, field, faults),
        "fresh" => set(&mut described.fresh, node, field, faults),
        "resume" => set(&mut described.resume, node, field, faults),
        "model_arguments" => set(&mut described.model_arguments, node, field, faults),
        "variables" => set(&mut described.variables, node, field, faults),
        "environment" => set(&mut described.environment, node, field, faults),
        "files" => files(node, field, described, faults),
        "folders" => folders(node, field, described, faults),
        "stop_signal" => set(&mut described.stop_signal, node, field, faults),
        "version" => set(&mut described.version, node, field, faults),
        "permissions" => set(&mut described.permissions, node, field, faults),
        "mcp" => set(&mut described.mcp, node, field, faults),
        "mcp_fields" => set(&mut described.mcp_fields, node, field, faults),
        "tool" => set(&mut described.tool, node, field, faults),
        "session_unknown" => set(&mut described.session_unknown, node, field, faults),
        "lines" => lines(node, field, described, faults),
        _ => {}
    }
}

/// What it is to be says the type that it is read into.
fn set<T: DeserializeOwned>(place: &mut T, node: &Node, field: &str, faults: &mut Faults) {
    match serde_json::from_value(json(node)) {
        Ok(value) => *place = value,
        Err(error) => faults.field(node.line, field, format!("is not understood: {error}")),
    }
}

/// They stand in one folder, which holds what callbox puts there too.
fn files(node: &Node, field: &str, described: &mut AgentDescription, faults: &mut Faults) {
    set(&mut described.files, node, field, faults);
    for name in described.files.keys() {
        let mut parts = Path::new(name).components();
        let plain = matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
        if !plain || name.contains('/') || name == "mcp.json" {
            let message =
                format!("`{name}` must be the name of a file, without a folder, and not `mcp.json`");
            faults.field(node.line, field, message);
        }
    }
}

fn folders(node: &Node, field: &str, described: &mut AgentDescription, faults: &mut Faults) {
    set(&mut described.folders, node, field, faults);
    for folder in &described.folders {
        let below = folder.strip_prefix("~/").or_else(|| folder.strip_prefix('/')).unwrap_or_default();
        let plain = Path::new(below).components().all(|part| matches!(part, Component::Normal(_)));
        if below.is_empty() || !plain {
            let message = format!("`{folder}` must be absolute or begin with `~/`, and lead below that");
            faults.field(node.line, field, message);
        }
    }
}

fn lines(node: &Node, field: &str, described: &mut AgentDescription, faults: &mut Faults) {
    let Value::List(items) = &node.value else {
        return faults.field(node.line, field, "must be a list of tables");
    };
    for item in items {
        let mut rule = LineRule::default();
        set(&mut rule, item, field, faults);
        if let Some(wrong) = rule.pointers().find(|pointer| !pointer.starts_with('/')) {
            faults.field(item.line, field, format!("`{wrong}` is no JSON pointer, which begins with `/`"));
        }
        if rule.when.values().chain(rule.unless.values()).any(|value| value.is_array() || value.is_object()) {
            faults.field(
                item.line,
                field,
                "`when` and `unless` compare texts, numbers, `true`, `false` and `null`",
            );
        }
        described.lines.push(rule);
    }
}

/// What a description cannot be without.
fn missing(described: &AgentDescription) -> Vec<&'static str> {
    let program = described.command.first().is_some_and(|name| !name.is_empty() && !name.contains('/'));
    let ends = described.lines.iter().any(|rule| rule.ends == Some(LineEnd::Well) && !rule.when.is_empty());
    let turns = described.lines.iter().any(|rule| rule.turn);
    let mut missing = Vec::new();
    if !program {
        missing.push("needs a `command` that begins with the name of a program; `program` says where it is");
    }
    if described.permissions.is_empty() {
        missing.push("needs `permissions` with the arguments for `read`, `edit` or `full`");
    }
    if described.protocol == AgentProtocol::Acp {
        return missing;
    }
    if !ends {
        missing
            .push("needs a rule in `lines` with `when` and `ends = \"well\"`: no run could end well without");
    }
    if !turns {
        missing.push(
            "needs a rule in `lines` with `turn = true`: no run ends well in which the model was not asked",
        );
    }
    missing
}
