//! The table `[gc]`: how long what ended tasks left stays on the disk.

use std::time::Duration;

use super::size::size;
use crate::{
    document::{Faults, Node, Value, entries, flag, unknown},
    taskfile::seconds,
};

/// Between two removals where nothing is said.
const HOUR: Duration = Duration::from_secs(3600);
/// Every key of the table.
pub(super) const NAMES: [&str; 5] = ["keep", "max_disk", "keep_merged", "merged_branches", "every"];

/// The person's choices about what is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GcSettings {
    /// How long behind its end what a task left stays.
    pub keep: Duration,
    /// What all sandboxes and logs may take together, in bytes; no limit where absent.
    pub max_disk: Option<u64>,
    /// The same, of work that is merged; as all other where absent.
    pub keep_merged: Option<Duration>,
    /// Whether callbox's own branches go too once they are merged.
    pub merged_branches: bool,
    /// The pause between two removals by a store that stays; none by itself where absent.
    pub every: Option<Duration>,
}

impl Default for GcSettings {
    /// A week: "almost, also rename X" is the commonest thing that is said behind an end.
    fn default() -> Self {
        Self {
            keep: Duration::from_secs(7 * 86_400),
            max_disk: None,
            keep_merged: None,
            merged_branches: false,
            every: Some(HOUR),
        }
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
            "keep_merged" => {
                settings.keep_merged =
                    seconds(&entry.value, "gc.keep_merged", faults).map(Duration::from_secs);
            }
            "merged_branches" => {
                settings.merged_branches =
                    flag(&entry.value, "gc.merged_branches", faults).unwrap_or_default();
            }
            "every" => {
                settings.every = match &entry.value.value {
                    Value::Text(text) if text == "never" => None,
                    _ => seconds(&entry.value, "gc.every", faults).map(Duration::from_secs),
                };
            }
            _ => unknown(entry, "gc", NAMES, faults),
        }
    }
    settings
}
