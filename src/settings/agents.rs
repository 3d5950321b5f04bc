//! The tables `[agents.NAME]`: what is known of one agent program.

use std::{collections::BTreeMap, path::Path};

use super::{AgentSettings, unsupported};
use crate::{
    document::{Faults, Node, entries, text, unknown},
    taskfile::{PartialSpec, Reading, read_field},
};

/// Fields of a task that can have a default for one agent alone.
const FIELDS: [&str; 3] = ["model", "options", "env_names"];
/// Every key of such a table.
pub(super) const NAMES: [&str; 4] = ["program", "model", "options", "env_names"];

/// Reads all tables below `agents`; relative paths are relative to `directory`.
pub(super) fn agents(node: &Node, directory: &Path, faults: &mut Faults) -> BTreeMap<String, AgentSettings> {
    let mut agents = BTreeMap::new();
    for entry in entries(node, "agents", faults).unwrap_or_default() {
        let within = format!("agents.{}", entry.key);
        agents.insert(entry.key.clone(), agent(&entry.value, &within, directory, faults));
    }
    agents
}

fn agent(node: &Node, within: &str, directory: &Path, faults: &mut Faults) -> AgentSettings {
    let mut program = None;
    let mut reading = Reading { spec: PartialSpec::default(), directory, faults };
    for entry in entries(node, within, reading.faults).unwrap_or_default() {
        match entry.key.as_str() {
            "program" => program = text(&entry.value, &format!("{within}.program"), reading.faults),
            key if FIELDS.contains(&key) => read_field(entry, &[], &mut reading),
            key if unsupported::AGENT.contains(&key) => {
                reading.faults.field(entry.line, format!("{within}.{key}"), unsupported::MESSAGE);
            }
            _ => unknown(entry, within, NAMES, reading.faults),
        }
    }
    AgentSettings { program: program.map(|path| directory.join(path)), defaults: reading.spec }
}
