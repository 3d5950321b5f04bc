//! The tables `[projects."/path"]`: what holds for the tasks of one project.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::{
    document::{Faults, Node, entries},
    taskfile::{PartialSpec, Reading, read_field},
};

/// Fields of a task that such a table cannot set.
const OTHERS: [&str; 4] = ["name", "instructions", "after", "project"];

/// Reads all tables below `projects`; relative paths in them are relative to `directory`.
pub(super) fn projects(node: &Node, directory: &Path, faults: &mut Faults) -> BTreeMap<PathBuf, PartialSpec> {
    let mut projects = BTreeMap::new();
    for entry in entries(node, "projects", faults).unwrap_or_default() {
        let within = format!("projects.\"{}\"", entry.key);
        let path = Path::new(&entry.key);
        if !path.is_absolute() {
            faults.field(entry.line, within, "must be the absolute path of a project, without `~`");
            continue;
        }
        // Written by hand, a path may lead through links to where the project really is.
        let root = std::fs::canonicalize(path).unwrap_or_else(|_| path.components().collect());
        projects.insert(root, project(&entry.value, &within, directory, faults));
    }
    projects
}

fn project(node: &Node, within: &str, directory: &Path, faults: &mut Faults) -> PartialSpec {
    let mut reading = Reading { spec: PartialSpec::default(), directory, faults };
    for entry in entries(node, within, reading.faults).unwrap_or_default() {
        if OTHERS.contains(&entry.key.as_str()) {
            let field = format!("{within}.{}", entry.key);
            reading.faults.field(entry.line, field, "cannot be set for all tasks of a project");
        } else {
            read_field(entry, &[], &mut reading);
        }
    }
    reading.spec
}
