//! The tables `[agents.NAME]`: what is known of one agent program.

use std::path::Path;

use super::{
    AgentSettings, KeyRefusal, KnownAgents, Settings, preamble::preamble, quotas::max_concurrent,
    servers::servers, unsupported,
};
use crate::{
    document::{Entry, Faults, Node, Value, entries, nearest, shown, text, unknown},
    taskfile::{PartialSpec, Reading, read_field},
    vocabulary::AgentSetup,
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
        if !known.names.contains(&entry.key.as_str()) && !is_of_a_later_version(&entry.value) {
            unknown_agent(entry, known.names, faults);
        }
        let within = format!("agents.{}", entry.key);
        refuse_keys(&entry.key, &entry.value, &within, known.refusal, faults);
        let mut slots = None;
        let read = agent(&entry.value, &within, directory, &mut slots, faults);
        settings.agents.insert(entry.key.clone(), read);
        settings.quotas.agents.extend(slots.map(|slots| (entry.key.clone(), slots)));
    }
}

/// Whether the table says of itself how its agent is run, which is refused by its own words.
fn is_of_a_later_version(node: &Node) -> bool {
    let Value::Map(entries) = &node.value else { return false };
    entries.iter().any(|entry| unsupported::AGENT.contains(&entry.key.as_str()))
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
            key if unsupported::AGENT.contains(&key) => {
                reading.faults.field(entry.line, format!("{within}.{key}"), unsupported::MESSAGE);
            }
            _ => unknown(entry, within, NAMES, reading.faults),
        }
    }
    AgentSettings { setup, defaults: reading.spec }
}
