//! Committing what an agent left uncommitted.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use super::{agent_git::NewFiles, git::Git, identity, snapshot::Snapshot, view::View, work_error::WorkError};
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
    let pack = Pack::of(git, &view, &commit, &standing.commit)?;
    let new = NewFiles { packs: pack.files()?, index: snapshot.index().to_owned() };
    view.agent().advance(&standing, &commit, &new).map_err(|source| view.files_error(source))?;
    Ok(Leftovers { head: commit, files, notes })
}

fn nested_note(path: &[u8]) -> String {
    let path: String = String::from_utf8_lossy(path).chars().filter(|letter| !letter.is_control()).collect();
    format!("`{path}` is a repository of its own and was not committed")
}

/// A pack with the new objects, in a folder that is removed with this.
struct Pack<'a> {
    view: &'a View,
    folder: PathBuf,
}

impl<'a> Pack<'a> {
    fn of(git: &Git, view: &'a View, commit: &str, parent: &str) -> Result<Self, WorkError> {
        let pack = Self { view, folder: git.configuration().scratch("pack") };
        DirBuilder::new().mode(0o700).create(&pack.folder).map_err(|source| view.files_error(source))?;
        view.git(git, "pack-objects")
            .args(["--quiet", "--revs"])
            .arg(pack.folder.join("pack"))
            .input(format!("{commit}\n^{parent}\n").into_bytes())
            .succeed()?;
        Ok(pack)
    }

    /// The index of the pack last: with it, git takes the pack for complete.
    fn files(&self) -> Result<Vec<PathBuf>, WorkError> {
        let listed: io::Result<Vec<PathBuf>> =
            fs::read_dir(&self.folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
        let mut files = listed.map_err(|source| self.view.files_error(source))?;
        files.sort_by_key(|file| file.extension().is_some_and(|kind| kind == "idx"));
        Ok(files)
    }
}

impl Drop for Pack<'_> {
    fn drop(&mut self) {
        // What stays is garbage in callbox's own folder, and no reason to fail.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
