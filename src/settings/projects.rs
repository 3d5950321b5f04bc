//! The tables `[projects."/path"]`: what holds for the tasks of one project.

use std::path::Path;

use super::{
    Settings,
    quotas::{self, max_concurrent, per_day_usd},
};
use crate::{
    document::{Faults, Node, entries},
    taskfile::{COMPARES, PartialSpec, Reading, compares, read_field},
    vocabulary::ProjectQuota,
};

/// Fields of a task that such a table cannot set.
const OTHERS: [&str; 4] = ["name", "instructions", "after", "project"];

/// Reads all tables below `projects` into `settings`; relative paths in them are relative to `directory`.
pub(super) fn projects(node: &Node, directory: &Path, settings: &mut Settings, faults: &mut Faults) {
    for entry in entries(node, "projects", faults).unwrap_or_default() {
        let within = format!("projects.\"{}\"", entry.key);
        let path = Path::new(&entry.key);
        if !path.is_absolute() {
            faults.field(entry.line, within, "must be the absolute path of a project, without `~`");
            continue;
        }
        // Written by hand, a path may lead through links to where the project really is.
        let root = std::fs::canonicalize(path).unwrap_or_else(|_| path.components().collect());
        let (spec, quota) = project(&entry.value, &within, directory, faults);
        if quota != ProjectQuota::default() {
            settings.quotas.projects.insert(root.clone(), quota);
        }
        settings.projects.insert(root, spec);
    }
}

fn project(node: &Node, within: &str, directory: &Path, faults: &mut Faults) -> (PartialSpec, ProjectQuota) {
    let mut quota = ProjectQuota::default();
    let mut reading = Reading { spec: PartialSpec::default(), directory, faults };
    for entry in entries(node, within, reading.faults).unwrap_or_default() {
        let field = format!("{within}.{}", entry.key);
        match entry.key.as_str() {
            "max_concurrent" => quota.max_concurrent = max_concurrent(entry, &field, reading.faults),
            "per_day_usd" => quota.per_day_usd = per_day_usd(entry, &field, reading.faults),
            _ if compares(entry) => reading.faults.field(entry.line, field, COMPARES),
            key if OTHERS.contains(&key) => {
                reading.faults.field(entry.line, field, "cannot be set for all tasks of a project");
            }
            _ => read_field(entry, &quotas::PROJECT, &mut reading),
        }
    }
    (reading.spec, quota)
}
