//! A task file from the disk.

use std::{collections::BTreeMap, path::Path};

use super::{
    FileTask, markdown,
    tasks::{Surroundings, tasks},
};
use crate::document::{Entry, Faults, FileError, FileFault, Node, Value, read_text, read_yaml};

/// A task file that was refused whole; nothing of it was queued.
pub type TaskFileError = FileError;

/// Reads the task file at `path` whole, or refuses it whole with everything that is wrong with it.
///
/// The tasks come in an order in which `after` only looks back. `vars` fill `{{name}}` in
/// instructions. Where a task has predecessors and no `base`, it gets `base: after`.
pub fn read(path: &Path, vars: &BTreeMap<String, String>) -> Result<Vec<FileTask>, TaskFileError> {
    let wrong = |faults| TaskFileError::Wrong { path: path.to_owned(), faults };
    let text = read_text(path)?;
    let tree = tree(path, &text).map_err(wrong)?;
    let absolute = std::path::absolute(path)
        .map_err(|source| TaskFileError::Unreadable { path: path.to_owned(), source })?;
    let directory = absolute.parent().unwrap_or(Path::new("/"));
    let mut faults = Faults::default();
    let tasks = tasks(&tree, Surroundings { directory, vars }, &mut faults);
    faults.into_result(tasks).map_err(wrong)
}

fn tree(path: &Path, text: &str) -> Result<Node, Vec<FileFault>> {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    match ending.as_deref() {
        Some("yaml" | "yml") => read_yaml(text, 1),
        Some("md" | "markdown") => from_markdown(text),
        _ => {
            let message =
                "the file's name must end in .yaml, .yml or .md, so that it is known how to read it";
            Err(vec![FileFault { line: 1, field: None, message: message.to_owned() }])
        }
    }
}

fn from_markdown(text: &str) -> Result<Node, Vec<FileFault>> {
    let fault = |line, field: Option<&str>, message: &str| {
        vec![FileFault { line, field: field.map(str::to_owned), message: message.to_owned() }]
    };
    let parts =
        markdown::split(text).ok_or_else(|| fault(1, None, "the front matter has no end: a line `---`"))?;
    let mut entries = match parts.front {
        None => Vec::new(),
        Some((yaml, line)) => match read_yaml(yaml, line)?.value {
            Value::Map(entries) => entries,
            Value::Null => Vec::new(),
            other => {
                let message = format!("the front matter must be the fields of a task, not {}", other.kind());
                return Err(fault(line, None, &message));
            }
        },
    };
    for (key, message) in [
        ("instructions", "stands in the front matter: the body of the file is the instructions"),
        ("tasks", "can't stand in front matter: a Markdown file is one task"),
    ] {
        if let Some(entry) = entries.iter().find(|entry| entry.key == key) {
            return Err(fault(entry.line, Some(key), message));
        }
    }
    let (body, line) = parts.body;
    if let Some(at) = body.find('\0') {
        let line = line + body[..at].matches('\n').count();
        return Err(fault(line, None, "a NUL character stands here"));
    }
    let value = Node { line, value: Value::Text(body.trim().to_owned()) };
    entries.push(Entry { key: "instructions".to_owned(), line, value });
    Ok(Node { line: 1, value: Value::Map(entries) })
}

#[cfg(test)]
mod tests;
