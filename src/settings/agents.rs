//! The tables `[agents.NAME]`: what is known of one agent program.

use std::path::Path;

use super::{
    AgentSettings, KeyRefusal, Settings, preamble::preamble, quotas::max_concurrent, servers::servers,
    unsupported,
};
use crate::{
    document::{Faults, Node, Value, entries, text, unknown},
    taskfile::{PartialSpec, Reading, read_field},
    vocabulary::AgentSetup,
};

/// Fields of a task that can have a default for one agent alone.
const FIELDS: [&str; 3] = ["model", "options", "env_names"];
/// Every key of such a table.
pub(super) const NAMES: [&str; 7] =
    ["program", "preamble", "mcp_servers", "max_concurrent", "model", "options", "env_names"];

/// Reads all tables below `agents` into `settings`; relative paths are relative to `directory`, and `refusal` knows which keys
/// are of no use to an agent.
pub(super) fn agents(
    node: &Node,
    directory: &Path,
    refusal: KeyRefusal,
    settings: &mut Settings,
    faults: &mut Faults,
) {
    for entry in entries(node, "agents", faults).unwrap_or_default() {
        let within = format!("agents.{}", entry.key);
        refuse_keys(&entry.key, &entry.value, &within, refusal, faults);
        let mut slots = None;
        let read = agent(&entry.value, &within, directory, &mut slots, faults);
        settings.agents.insert(entry.key.clone(), read);
        settings.quotas.agents.extend(slots.map(|slots| (entry.key.clone(), slots)));
    }
}

/// A key that is read and does nothing would be worse than none.
fn refuse_keys(agent: &str, node: &Node, within: &str, refusal: KeyRefusal, faults: &mut Faults) {
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
