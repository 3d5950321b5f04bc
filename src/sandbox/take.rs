//! Taking work into the branch that is checked out in the project, as the person asks for by hand.
//!
//! What the two sides come to is computed first, without the work tree. Then the branch only moves forward,
//! which git itself does whole or not at all.

use std::path::Path;

use super::{
    git::Git,
    identity,
    merge_tree::{Merged, merge_trees},
    take_error::TakeError,
    work_tree::WorkTree,
};

/// What is to be taken, and where to.
#[derive(Debug, Clone, Copy)]
pub struct TakeRequest<'a> {
    /// The root of the project's work tree; absolute.
    pub project: &'a Path,
    /// The commit.
    pub head: &'a str,
    /// The message of a merge commit, where one has to be made.
    pub message: &'a str,
}

/// Work that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The branch that has it now.
    pub branch: String,
    /// The commit that the branch stands on.
    pub head: String,
    /// How it got there.
    pub way: TakenBy,
}

/// How a branch came to have the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakenBy {
    /// The branch moved on to the work itself.
    FastForward,
    /// A merge commit joins the two. A cherry-pick would give the commits other names, and then neither
    /// git nor a second take, behind a resume, would know which of them the branch has.
    Merge,
    /// The branch had it already.
    Nothing,
}

/// Takes the work, or leaves branch, index and work tree exactly as they were. New files that git does not
/// know are in nobody's way unless the work has files of these names.
pub fn take(git: &Git, request: &TakeRequest<'_>) -> Result<Taken, TakeError> {
    let place = WorkTree { git, root: request.project };
    let branch = place.branch()?;
    let tip = place.line("rev-parse", &["--verify", "--end-of-options", "HEAD^{commit}"])?;
    let commit = format!("{}^{{commit}}", request.head);
    if !place.holds("cat-file", &["-e", &commit])? {
        return Err(TakeError::NoCommit {
            project: request.project.to_owned(),
            head: request.head.to_owned(),
        });
    }
    if place.is_ancestor(request.head, &tip)? {
        return Ok(Taken { branch, head: tip, way: TakenBy::Nothing });
    }
    place.check_clean(&branch)?;
    let (head, way) = if place.is_ancestor(&tip, request.head)? {
        (request.head.to_owned(), TakenBy::FastForward)
    } else {
        (merge(&place, &branch, &tip, request)?, TakenBy::Merge)
    };
    place.forward(&branch, &head, "callbox take")?;
    Ok(Taken { branch, head, way })
}

/// The merge commit, which nothing refers to yet.
fn merge(
    place: &WorkTree<'_>,
    branch: &str,
    tip: &str,
    request: &TakeRequest<'_>,
) -> Result<String, TakeError> {
    let merged = merge_trees(place.run("merge-tree"), (tip, request.head), None);
    let tree = match merged.map_err(|error| place.failed(error))? {
        Merged::Tree(tree) => tree,
        Merged::Conflict(files) => {
            return Err(TakeError::Conflict { branch: branch.to_owned(), files });
        }
    };
    let commit = place.run("commit-tree");
    // Who has never told git their name has it merged all the same.
    let named = place.holds("var", &["GIT_COMMITTER_IDENT"])? && place.holds("var", &["GIT_AUTHOR_IDENT"])?;
    let commit = if named { commit } else { identity::callbox(commit) };
    commit
        .args([&*tree, "-p", tip, "-p", request.head, "-F", "-"])
        .input(request.message.as_bytes().to_vec())
        .line()
        .map_err(|error| place.failed(error))
}
