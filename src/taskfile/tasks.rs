//! From the tree of a file to its tasks.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use super::{
    AfterName, PartialSpec, Reading,
    after::{Named, order},
    fields::MAX_INSTRUCTIONS,
    fill::{fill, is_name},
    read_field,
};
use crate::{
    document::{Entry, Faults, Node, Value, entries, list, text},
    vocabulary::BaseChoice,
};

/// How many tasks one file may hold.
pub const MAX_TASKS: usize = 1000;

/// One task of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileTask {
    /// The fields that were given; instructions always, their places filled.
    pub spec: PartialSpec,
    /// What must be completed first.
    pub after: Vec<AfterName>,
}

/// What the caller of a file brings along.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings<'a> {
    /// What relative paths are relative to; absolute.
    pub directory: &'a Path,
    /// Values for `{{name}}` in instructions.
    pub vars: &'a BTreeMap<String, String>,
}

/// The tasks of `tree`, in an order in which `after` only looks back. What is wrong goes to `faults`;
/// the tasks count only if nothing does.
pub(super) fn tasks(tree: &Node, around: Surroundings<'_>, faults: &mut Faults) -> Vec<FileTask> {
    let mut used = BTreeSet::new();
    let mut read: Vec<(PartialSpec, Named)> = Vec::new();
    for node in nodes(tree, faults) {
        read.extend(task(node, around, &mut used, faults));
    }
    for name in around.vars.keys().filter(|name| !used.contains(*name)) {
        let why = if is_name(name) { "stands in no instructions" } else { "is no name that can be filled" };
        faults.document(1, format!("`--var {name}` is of no use: `{{{{{name}}}}}` {why}"));
    }
    let (mut specs, named): (Vec<_>, Vec<_>) = read.into_iter().unzip();
    let (sequence, after) = order(&named, faults);
    let specs = sequence.into_iter().map(|place| std::mem::take(&mut specs[place]));
    specs.zip(after).map(|(spec, after)| FileTask { spec, after }).collect()
}

/// The nodes that describe one task each.
fn nodes<'a>(tree: &'a Node, faults: &mut Faults) -> Vec<&'a Node> {
    let Value::Map(entries) = &tree.value else {
        let kind = tree.value.kind();
        faults.document(tree.line, format!("a task file holds the fields of a task or `tasks`, not {kind}"));
        return Vec::new();
    };
    let Some(tasks) = entries.iter().find(|entry| entry.key == "tasks") else { return vec![tree] };
    for entry in entries.iter().filter(|entry| entry.key != "tasks") {
        faults.field(entry.line, &entry.key, "stands beside `tasks`: every field belongs inside one task");
    }
    let nodes = list(&tasks.value, "tasks", faults).unwrap_or_default();
    if nodes.is_empty() && matches!(tasks.value.value, Value::List(_)) {
        faults.field(tasks.line, "tasks", "is empty");
    }
    if nodes.len() > MAX_TASKS {
        faults.field(tasks.line, "tasks", format!("holds {}: at most {MAX_TASKS} are read", nodes.len()));
        return Vec::new();
    }
    nodes.iter().collect()
}

fn task(
    node: &Node,
    around: Surroundings<'_>,
    used: &mut BTreeSet<String>,
    faults: &mut Faults,
) -> Option<(PartialSpec, Named)> {
    let entries = entries(node, "tasks", faults)?;
    let mut named = Named { line: node.line, ..Named::default() };
    let mut reading = Reading { spec: PartialSpec::default(), directory: around.directory, faults };
    for entry in entries {
        match entry.key.as_str() {
            "after" => named.after = predecessors(entry, reading.faults),
            _ => read_field(entry, &["after", "tasks"], &mut reading),
        }
    }
    let mut spec = reading.spec;
    match entries.iter().find(|entry| entry.key == "instructions") {
        Some(entry) => fill_in(&mut spec, entry, around.vars, used, faults),
        None => faults.field(node.line, "instructions", "is missing"),
    }
    settle_base(&mut spec, &named, entries, faults);
    named.name.clone_from(&spec.name);
    Some((spec, named))
}

fn predecessors(entry: &Entry, faults: &mut Faults) -> Vec<(String, usize)> {
    let mut names: Vec<(String, usize)> = Vec::new();
    for node in list(&entry.value, "after", faults).unwrap_or_default() {
        // A bare 12 is the task of that number, however YAML calls it.
        let name = match &node.value {
            Value::Number(written) => Some(written.as_str()),
            _ => text(node, "after", faults),
        };
        match name {
            Some(name) if names.iter().any(|(known, _)| known == name) => {
                faults.field(node.line, "after", format!("names `{name}` twice"));
            }
            Some(name) => names.push((name.to_owned(), node.line)),
            None => {}
        }
    }
    names
}

fn fill_in(
    spec: &mut PartialSpec,
    entry: &Entry,
    vars: &BTreeMap<String, String>,
    used: &mut BTreeSet<String>,
    faults: &mut Faults,
) {
    let Some(instructions) = &spec.instructions else { return };
    let filled = fill(instructions, vars);
    for name in &filled.missing {
        let message = format!("has the place `{{{{{name}}}}}`, which nothing fills: give `--var {name}=…`");
        faults.field(entry.line, "instructions", message);
    }
    if filled.text.chars().count() > MAX_INSTRUCTIONS {
        let message = format!("is longer than {MAX_INSTRUCTIONS} characters once its places are filled");
        faults.field(entry.line, "instructions", message);
    }
    used.extend(filled.used);
    spec.instructions = Some(filled.text);
}

/// A task that follows others starts from their work, unless it says otherwise.
fn settle_base(spec: &mut PartialSpec, named: &Named, entries: &[Entry], faults: &mut Faults) {
    let given = entries.iter().find(|entry| entry.key == "base");
    match (given, &spec.base) {
        (None, _) if !named.after.is_empty() => spec.base = Some(BaseChoice::After),
        (Some(entry), Some(BaseChoice::After)) if named.after.is_empty() => {
            faults.field(entry.line, "base", "is `after`, but the task has no `after`");
        }
        _ => {}
    }
}
