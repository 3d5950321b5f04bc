//! The table `[gc]`: how long what ended tasks left stays on the disk.

use std::time::Duration;

use super::size::size;
use crate::{
    document::{Faults, Node, entries, unknown},
    taskfile::seconds,
};

/// Every key of the table.
pub(super) const NAMES: [&str; 2] = ["keep", "max_disk"];

/// The person's choices about what is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GcSettings {
    /// How long behind its end what a task left stays.
    pub keep: Duration,
    /// What all sandboxes and logs may take together, in bytes; no limit where absent.
    pub max_disk: Option<u64>,
}

impl Default for GcSettings {
    /// A week: "almost, also rename X" is the commonest thing that is said behind an end.
    fn default() -> Self {
        Self { keep: Duration::from_secs(7 * 86_400), max_disk: None }
    }
}

/// Reads the table.
pub(super) fn gc(node: &Node, faults: &mut Faults) -> GcSettings {
    let mut settings = GcSettings::default();
    for entry in entries(node, "gc", faults).unwrap_or_default() {
        match entry.key.as_str() {
            "keep" => {
                let seconds = seconds(&entry.value, "gc.keep", faults);
                settings.keep = seconds.map_or(settings.keep, Duration::from_secs);
            }
            "max_disk" => settings.max_disk = size(entry, "gc", faults),
            _ => unknown(entry, "gc", NAMES, faults),
        }
    }
    settings
}
