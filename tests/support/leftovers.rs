//! What ended tasks leave, and `callbox gc` upon it.

use std::{fs, path::PathBuf};

use serde_json::Value;

use super::{
    cli::{Call, Desk, Ended},
    repository::Repository,
};

/// A run of the scripted agent in `project`, to its end.
pub(crate) fn run(desk: &Desk, project: &Repository, steps: &str, more: &[&str]) -> Ended {
    let root = project.root().display().to_string();
    let task = ["run", "-C", &root, "--agent", "scripted", "--name", "work", "--json", "-p", steps];
    desk.callbox(task.into_iter().chain(more.iter().copied())).end()
}

/// `callbox gc` of whatever has ended, with `more` arguments.
pub(crate) fn gc(desk: &Desk, more: &[&str]) -> Call {
    desk.callbox(["gc", "--keep", "0s", "--json"].iter().chain(more))
}

/// What `callbox gc` with `more` arguments came to.
#[track_caller]
pub(crate) fn collected(desk: &Desk, more: &[&str]) -> Value {
    gc(desk, more).end().expect(0).json()
}

/// The tasks that `list` of `collected` names.
#[track_caller]
pub(crate) fn tasks(collected: &Value, list: &str) -> Vec<String> {
    let all = collected[list].as_array().unwrap_or_else(|| panic!("no `{list}` in {collected}"));
    all.iter().map(|one| one["task"].as_str().unwrap().to_owned()).collect()
}

/// What stands in the folder of the sandboxes of task number `task`, and in that of the trash.
pub(crate) fn standing(desk: &Desk, task: u32) -> Vec<String> {
    let names = |folder: PathBuf| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    let sandboxes = desk.state().join("sandboxes");
    let mut all = names(sandboxes.join(task.to_string()));
    all.extend(names(sandboxes.join("trash")));
    all.sort();
    all
}
