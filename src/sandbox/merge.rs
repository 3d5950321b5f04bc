//! Merging work into a branch of the project, in two steps that can each be repeated after any kill: the
//! work is put on top of what the branch stands on now, in the sandbox, so that it can be verified there;
//! then the branch moves forward to exactly that, or not at all.

use std::path::Path;

use super::{
    agent_git::NewFiles,
    base::fetch,
    deliver_error::DeliverError,
    git::Git,
    git_error::GitError,
    identity,
    merge_tree::{Merged, merge_trees},
    numbers::{self, Numbers},
    pack::Pack,
    snapshot::Snapshot,
    state::count_commits,
    take_error::TakeError,
    view::View,
    work_tree::WorkTree,
};
use crate::{
    ids::TaskNumber,
    vocabulary::{Conflict, Delivery},
};

/// What is to be merged.
#[derive(Debug, Clone, Copy)]
pub struct MergeRequest<'a> {
    /// The root of the project's work tree; absolute.
    pub project: &'a Path,
    /// The sandbox; absolute.
    pub sandbox: &'a Path,
    /// The commit the work starts from.
    pub base: &'a str,
    /// The commit to merge.
    pub head: &'a str,
    /// The branch.
    pub into: &'a str,
    /// The task.
    pub task: TaskNumber,
}

/// How work stands to its branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rebased {
    /// There is no commit to hand over.
    Nothing,
    /// The branch has the work already: it was merged, and only the report got lost.
    Merged,
    /// The branch can move on to the work as it is; it stands on this commit.
    Standing(String),
    /// The work is this commit now, on top of where the branch stands. The sandbox is not moved there yet.
    Moved {
        /// Where the branch stands.
        base: String,
        /// The commit.
        head: String,
    },
    /// It does not go on top of that. The commit of the branch is in the sandbox now.
    Conflict(Conflict),
}

/// Puts the work on top of where the branch stands: each commit anew where all of them go, else joined by a
/// merge commit.
pub fn rebase(git: &Git, request: &MergeRequest<'_>) -> Result<Rebased, DeliverError> {
    let MergeRequest { project, sandbox, base, head, into, .. } = *request;
    let view = View::open(sandbox, base)?;
    if count_commits(git, &view, base, head)? == 0 {
        return Ok(Rebased::Nothing);
    }
    let tip = tip(git, project, into)?;
    fetch(view.git(git, "fetch"), project).arg(&tip).succeed()?;
    if is_ancestor(git, &view, head, &tip)? {
        return Ok(Rebased::Merged);
    }
    if is_ancestor(git, &view, &tip, head)? {
        return Ok(Rebased::Standing(tip));
    }
    let merges = view.git(git, "rev-list").args(["--count", "--min-parents=2", head]).arg(format!("^{tip}"));
    let replayed = if merges.line()? == "0" { replay(git, &view, &tip, head)? } else { None };
    match replayed {
        Some(head) => Ok(Rebased::Moved { base: tip, head }),
        None => join(git, &view, &tip, request),
    }
}

/// Moves the sandbox, which an agent may work in again, to the work. Can be repeated after a kill.
pub fn settle(git: &Git, request: &MergeRequest<'_>) -> Result<(), DeliverError> {
    let MergeRequest { sandbox, base, head, .. } = *request;
    let view = View::open(sandbox, base)?;
    let files = |source| view.files_error(source);
    view.rebase(base).map_err(files)?;
    let standing = view.standing()?;
    if standing.commit == head {
        return Ok(());
    }
    let snapshot = Snapshot::of(git, &view, &standing.commit)?;
    snapshot.check_out(head)?;
    let pack = Pack::begin(git).map_err(files)?;
    pack.fill(view.git(git, "pack-objects"), head, &standing.commit)?;
    let new = NewFiles { packs: pack.files().map_err(files)?, index: snapshot.index().to_owned() };
    Ok(view.agent().advance(&standing, head, &new).map_err(files)?)
}

/// What came of moving a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MovedOn {
    /// It stands on the work.
    Done(Delivery),
    /// It was moved by somebody else meanwhile.
    Overtaken,
}

/// Moves the branch on to the work, which has it among its ancestors. Where a work tree stands on it, that
/// one must be clean, and goes along.
pub fn move_on(git: &Git, request: &MergeRequest<'_>) -> Result<MovedOn, DeliverError> {
    let MergeRequest { project, sandbox, base, head, into, task } = *request;
    let view = View::open(sandbox, base)?;
    let stands = tip(git, project, into)?;
    if stands == head {
        return Ok(MovedOn::Done(merged(git, request)?));
    }
    if stands != base {
        return Ok(MovedOn::Overtaken);
    }
    fetch(git.project(project, "fetch"), view.git_directory())
        .config("fetch.fsckObjects", "true")
        .arg(head)
        .succeed()?;
    let reference = format!("refs/heads/{into}");
    let action = format!("callbox: merge {task}");
    let place = place_of(git, project, &reference)?;
    if place.is_empty() {
        let moved = git.project(project, "update-ref").args(["-m", &action, &reference, head, base]).run()?;
        if !moved.status.success() && tip(git, project, into)? == base {
            return Err(GitError::failed("update-ref", &moved).into());
        }
    } else {
        let work_tree = WorkTree { git, root: Path::new(&place) };
        work_tree.check_free(into)?;
        let moved = work_tree.forward(into, head, &action);
        if tip(git, project, into)? == base {
            moved?;
        }
    }
    // Read back, whatever git said.
    if tip(git, project, into)? == head {
        Ok(MovedOn::Done(merged(git, request)?))
    } else {
        Ok(MovedOn::Overtaken)
    }
}

/// Why the branch `into` could not be moved on as things stand: the work tree on it is not clean, or something is
/// under way there. It need not be so any more when the work is done.
pub fn hindrance(git: &Git, project: &Path, into: &str) -> Result<Option<TakeError>, GitError> {
    let place = place_of(git, project, &format!("refs/heads/{into}"))?;
    if place.is_empty() {
        return Ok(None);
    }
    Ok(WorkTree { git, root: Path::new(&place) }.check_free(into).err())
}

/// The work tree that stands on `reference`; empty where none does.
fn place_of(git: &Git, project: &Path, reference: &str) -> Result<String, GitError> {
    git.project(project, "for-each-ref").args(["--format=%(worktreepath)", reference]).line()
}

/// What stands on the branch.
pub fn merged(git: &Git, request: &MergeRequest<'_>) -> Result<Delivery, DeliverError> {
    let MergeRequest { sandbox, base, head, into, .. } = *request;
    let view = View::open(sandbox, base)?;
    let Numbers { files, insertions, deletions } = numbers::count(git, &view, base, head)?;
    Ok(Delivery {
        base: base.to_owned(),
        branch: Some(into.to_owned()),
        patch: None,
        head: head.to_owned(),
        commits: count_commits(git, &view, base, head)?,
        files,
        insertions,
        deletions,
    })
}

fn tip(git: &Git, project: &Path, branch: &str) -> Result<String, DeliverError> {
    let reference = format!("refs/heads/{branch}");
    let found = git.project(project, "for-each-ref").args(["--format=%(objectname)", &reference]).line()?;
    if found.is_empty() { Err(DeliverError::NoBranch { branch: branch.to_owned() }) } else { Ok(found) }
}

fn is_ancestor(git: &Git, view: &View, older: &str, younger: &str) -> Result<bool, GitError> {
    let output = view.git(git, "merge-base").args(["--is-ancestor", older, younger]).run()?;
    match output.status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => Err(GitError::failed("merge-base", &output)),
    }
}

/// Each commit of `head` that `tip` has not, anew on top of it, with its author and its message; `None`
/// where one does not go there.
fn replay(git: &Git, view: &View, tip: &str, head: &str) -> Result<Option<String>, GitError> {
    let list = view.git(git, "rev-list").args(["--reverse", head]).arg(format!("^{tip}")).succeed()?;
    let mut top = tip.to_owned();
    for commit in String::from_utf8_lossy(&list).lines() {
        let parent = format!("{commit}^");
        let tree = match merge_trees(view.git(git, "merge-tree"), (&top, commit), Some(&parent))? {
            Merged::Tree(tree) => tree,
            Merged::Conflict(_) => return Ok(None),
        };
        // What the branch has already in other words makes no empty commit.
        if tree != view.git(git, "rev-parse").arg(format!("{top}^{{tree}}")).line()? {
            top = again(git, view, commit, &tree, &top)?;
        }
    }
    Ok(Some(top))
}

fn again(git: &Git, view: &View, commit: &str, tree: &str, parent: &str) -> Result<String, GitError> {
    let show =
        |format: &str| view.git(git, "log").args(["-1", "--date=raw"]).arg(format!("--format={format}"));
    let message = show("%B").arg(commit).succeed()?;
    let author = show("%an%x00%ae%x00%ad").arg(commit).line()?;
    let run = identity::callbox(view.git(git, "commit-tree"));
    let run = match author.split('\0').collect::<Vec<_>>()[..] {
        [name, email, date] if !name.is_empty() => {
            run.env("GIT_AUTHOR_NAME", name).env("GIT_AUTHOR_EMAIL", email).env("GIT_AUTHOR_DATE", date)
        }
        _ => run,
    };
    run.args([tree, "-p", parent, "-F", "-"]).input(message).line()
}

/// Joins the two with a merge commit, where they go together; else gives the agent what it is to look at.
fn join(git: &Git, view: &View, tip: &str, request: &MergeRequest<'_>) -> Result<Rebased, DeliverError> {
    let MergeRequest { head, into, task, .. } = *request;
    match merge_trees(view.git(git, "merge-tree"), (tip, head), None)? {
        Merged::Tree(tree) => {
            let message = format!("Merge the work of {task} into {into}\n\nCallbox-Task: {task}\n");
            let commit = identity::callbox(view.git(git, "commit-tree"))
                .args([&*tree, "-p", tip, "-p", head, "-F", "-"])
                .input(message.into_bytes())
                .line()?;
            Ok(Rebased::Moved { base: tip.to_owned(), head: commit })
        }
        Merged::Conflict(files) => {
            let pack = Pack::begin(git).map_err(|source| view.files_error(source))?;
            pack.fill(view.git(git, "pack-objects"), tip, head)?;
            let packs = pack.files().map_err(|source| view.files_error(source))?;
            view.agent().add(&packs).map_err(|source| view.files_error(source))?;
            Ok(Rebased::Conflict(Conflict { branch: into.to_owned(), commit: tip.to_owned(), files }))
        }
    }
}
