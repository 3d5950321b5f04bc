//! That no work is gone: what stands in sandboxes stands in the project too.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use super::{
    cli::Desk,
    repository::{Repository, git},
};

/// Every file of every sandbox, as it stands there, is in some commit that a branch or reference of the project
/// leads to.
#[track_caller]
pub(crate) fn nothing_is_gone(desk: &Desk, project: &Repository) {
    let sandboxes = sandboxes(desk);
    nothing_is_gone_of(&sandboxes, project);
}

/// The same of these sandboxes alone.
#[track_caller]
pub(crate) fn nothing_is_gone_of(sandboxes: &[PathBuf], project: &Repository) {
    let mut found = Vec::new();
    for sandbox in sandboxes {
        files(sandbox, &mut found);
    }
    if found.is_empty() {
        return;
    }
    let mut ask = vec!["hash-object".into(), "--no-filters".into(), "--".into()];
    ask.extend(found.iter().map(|path| path.clone().into_os_string()));
    let blobs = git(&project.root(), ask);
    let kept = project.git(["rev-list", "--objects", "--all"]);
    let kept: HashSet<&str> = kept.lines().map(|line| line.split(' ').next().unwrap()).collect();
    let gone: Vec<_> = found.iter().zip(blobs.lines()).filter(|(_, blob)| !kept.contains(blob)).collect();
    assert!(gone.is_empty(), "this stands in no commit of the project: {gone:?}");
}

/// All sandboxes of a desk: `sandboxes/12/1`, without what stands beside them.
pub(crate) fn sandboxes(desk: &Desk) -> Vec<PathBuf> {
    let below =
        |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let number = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().parse::<u32>().is_ok();
    let tasks = below(&desk.state().join("sandboxes")).filter(number).collect::<Vec<_>>();
    tasks.iter().flat_map(|task| below(task)).filter(number).collect()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.file_name() == ".git" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            files(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}
