//! Committing what an agent left uncommitted.

use std::path::Path;

use super::{
    agent_git::NewFiles, git::Git, identity, pack::Pack, snapshot::Snapshot, view::View,
    work_error::WorkError,
};
use crate::ids::TaskNumber;

/// Whose left-over changes are to be committed.
#[derive(Debug, Clone, Copy)]
pub struct LeftoverRequest<'a> {
    /// The sandbox; absolute.
    pub directory: &'a Path,
    /// The commit it was made from.
    pub base: &'a str,
    /// The task.
    pub task: TaskNumber,
}

/// A sandbox without left-over changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftovers {
    /// The commit it stands on now.
    pub head: String,
    /// How many files callbox committed; 0 when nothing was left over.
    pub files: usize,
    /// Sentences for the person, such as that a nested repository is not included.
    pub notes: Vec<String>,
}

/// Commits all changed and new files that are not ignored, on top of where the agent stands, and
/// moves the agent's branch and index there, so that a resumed agent builds on what was delivered.
/// Repeated, also after a kill at any point, it makes no second commit. No program, hook or filter of
/// the agent's runs.
pub fn commit_leftovers(git: &Git, request: &LeftoverRequest<'_>) -> Result<Leftovers, WorkError> {
    let view = View::open(request.directory, request.base)?;
    let standing = view.standing()?;
    let snapshot = Snapshot::of(git, &view, &standing.commit)?;
    let changes = snapshot.changes()?;
    let notes = changes.nested.iter().map(|path| nested_note(path)).collect();
    let files = changes.present.len() + changes.gone.len();
    if files == 0 {
        return Ok(Leftovers { head: standing.commit, files, notes });
    }
    let tree = snapshot.tree(&changes)?;
    let message = format!(
        "Left-over changes of task {}\n\nCommitted by callbox: the agent ended its run without\ncommitting them.\n\nCallbox-Task: {}\n",
        request.task, request.task
    );
    let commit = identity::callbox(view.git(git, "commit-tree"))
        .args([&*tree, "-p", &standing.commit, "-F", "-"])
        .input(message.into_bytes())
        .line()?;
    let pack = Pack::begin(git).map_err(|source| view.files_error(source))?;
    pack.fill(view.git(git, "pack-objects"), &commit, &standing.commit)?;
    let packs = pack.files().map_err(|source| view.files_error(source))?;
    let new = NewFiles { packs, index: snapshot.index().to_owned() };
    view.agent().advance(&standing, &commit, &new).map_err(|source| view.files_error(source))?;
    Ok(Leftovers { head: commit, files, notes })
}

fn nested_note(path: &[u8]) -> String {
    let path: String = String::from_utf8_lossy(path).chars().filter(|letter| !letter.is_control()).collect();
    format!("`{path}` is a repository of its own and was not committed")
}
