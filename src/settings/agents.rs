//! The tables `[agents.NAME]`: what is known of one agent program.

use std::path::Path;

use super::{
    AgentSettings, KeyRefusal, KnownAgents, Settings,
    description::{self, description},
    preamble::preamble,
    quotas::max_concurrent,
    servers::servers,
    shipped::shipped,
};
use crate::{
    document::{Entry, Faults, Node, Value, entries, nearest, shown, text, unknown},
    taskfile::{PartialSpec, Reading, read_field},
    vocabulary::{ANY, AgentSetup},
};

/// Fields of a task that can have a default for one agent alone.
const FIELDS: [&str; 3] = ["model", "options", "env_names"];
/// Every key of such a table.
pub(super) const NAMES: [&str; 7] =
    ["program", "preamble", "mcp_servers", "max_concurrent", "model", "options", "env_names"];

/// Reads all tables below `agents` into `settings`; relative paths are relative to `directory`, and what is said of
/// no agent that is `known` is a slip.
pub(super) fn agents(
    node: &Node,
    directory: &Path,
    known: KnownAgents<'_>,
    settings: &mut Settings,
    faults: &mut Faults,
) {
    for entry in entries(node, "agents", faults).unwrap_or_default() {
        let is_known = known.names.contains(&entry.key.as_str());
        match (is_known || is_shipped(&entry.key), is_described(&entry.value)) {
            (false, false) => unknown_agent(entry, known.names, faults),
            (false, true) => check_name(entry, faults),
            (true, true) if !is_shipped(&entry.key) => {
                let message = "describes an agent that is part of callbox: give yours another name";
                faults.field(entry.line, format!("agents.{}", entry.key), message);
            }
            (true, _) => {}
        }
        let within = format!("agents.{}", entry.key);
        refuse_keys(&entry.key, &entry.value, &within, known.refusal, faults);
        let mut slots = None;
        let read = agent(&entry.value, &within, directory, &mut slots, faults);
        settings.agents.insert(entry.key.clone(), read);
        settings.quotas.agents.extend(slots.map(|slots| (entry.key.clone(), slots)));
    }
}

/// Whether callbox ships a description of the program of this name.
fn is_shipped(name: &str) -> bool {
    shipped().iter().any(|(shipped, _)| *shipped == name)
}

/// Whether the table says itself how its agent is run.
fn is_described(node: &Node) -> bool {
    let Value::Map(entries) = &node.value else { return false };
    entries.iter().any(|entry| description::NAMES.contains(&entry.key.as_str()))
}

/// Tasks and flags name it, and it stands in names of files.
fn check_name(entry: &Entry, faults: &mut Faults) {
    let name = &entry.key;
    let letters = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !letters || name.is_empty() || name.len() > 40 || name.starts_with('-') || name == ANY {
        let message = "has no usable name: it must be 1 to 40 small letters, digits and `-`, and not `any`";
        faults.field(entry.line, format!("agents.{}", shown(name)), message);
    }
}

/// What was meant for an agent would be lost without a word.
fn unknown_agent(entry: &Entry, known: &[&str], faults: &mut Faults) {
    let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    let meant = nearest(&entry.key, known.iter().copied());
    let meant = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    let message = format!("is no agent that callbox knows, which are {}{meant}", names.join(", "));
    faults.field(entry.line, format!("agents.{}", shown(&entry.key)), message);
}

/// A key that is read and does nothing would be worse than none.
fn refuse_keys(agent: &str, node: &Node, within: &str, refusal: KeyRefusal<'_>, faults: &mut Faults) {
    let Value::Map(entries) = &node.value else { return };
    for entry in entries {
        if let Some(reason) = refusal(agent, &entry.key) {
            faults.field(entry.line, format!("{within}.{}", entry.key), reason);
        }
    }
}

fn agent(
    node: &Node,
    within: &str,
    directory: &Path,
    slots: &mut Option<u32>,
    faults: &mut Faults,
) -> AgentSettings {
    let mut setup = AgentSetup::default();
    let mut reading = Reading { spec: PartialSpec::default(), directory, faults };
    for entry in entries(node, within, reading.faults).unwrap_or_default() {
        match entry.key.as_str() {
            "program" => {
                let path = text(&entry.value, &format!("{within}.program"), reading.faults);
                setup.program = path.map(|path| directory.join(path));
            }
            "preamble" => {
                setup.preamble = preamble(&entry.value, &format!("{within}.preamble"), reading.faults);
            }
            "mcp_servers" => {
                let field = format!("{within}.mcp_servers");
                setup.servers = servers(&entry.value, &field, directory, reading.faults);
            }
            "max_concurrent" => {
                *slots = max_concurrent(entry, &format!("{within}.max_concurrent"), reading.faults);
            }
            key if FIELDS.contains(&key) => read_field(entry, &[], &mut reading),
            key if description::NAMES.contains(&key) => {}
            _ => unknown(entry, within, [&NAMES[..], &description::NAMES].concat(), reading.faults),
        }
    }
    if is_described(node) {
        setup.description = description(node, within, reading.faults);
    }
    AgentSettings { setup, defaults: reading.spec }
}
