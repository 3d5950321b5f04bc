//! The table `[limits]`: how far trees of tasks may grow.

use super::Settings;
use crate::document::{Entry, Faults, Node, entries, list, text, unknown, whole};

/// Every key of the table.
pub(super) const NAMES: [&str; 5] = ["depth", "children", "tree", "signals", "subtask_agents"];

/// Reads the table into `settings`.
pub(super) fn limits(node: &Node, settings: &mut Settings, faults: &mut Faults) {
    let caps = &mut settings.caps;
    for entry in entries(node, "limits", faults).unwrap_or_default() {
        match entry.key.as_str() {
            // A tree of no depth, or without children, is one without subtasks.
            "depth" => set(&mut caps.depth, cap(entry, 0, 100, faults)),
            "children" => set(&mut caps.children, cap(entry, 0, 10_000, faults)),
            "tree" => set(&mut caps.tree, cap(entry, 1, 100_000, faults)),
            "signals" => set(&mut caps.signals, cap(entry, 1, 1_000_000, faults)),
            "subtask_agents" => settings.subtask_agents = agents(&entry.value, faults),
            _ => unknown(entry, "limits", NAMES, faults),
        }
    }
}

fn set(cap: &mut u32, value: Option<u32>) {
    *cap = value.unwrap_or(*cap);
}

fn cap(entry: &Entry, least: u64, most: u64, faults: &mut Faults) -> Option<u32> {
    let number = whole(&entry.value, &format!("limits.{}", entry.key), (least, most), faults)?;
    u32::try_from(number).ok()
}

fn agents(node: &Node, faults: &mut Faults) -> Vec<String> {
    let field = "limits.subtask_agents";
    let items = list(node, field, faults).unwrap_or_default();
    let named = items.iter().filter_map(|item| {
        let name = text(item, field, faults)?;
        if name.trim().is_empty() {
            faults.field(item.line, field, "holds an empty name");
        }
        Some(name.to_owned())
    });
    named.collect()
}
