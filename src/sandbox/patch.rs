//! Handing work over as a file that `git am` takes, for projects that callbox is to write nothing into.

use std::{fs, path::Path};

use super::{
    deliver_error::DeliverError,
    git::Git,
    identity,
    numbers::{self, Numbers},
    state::count_commits,
    view::View,
};
use crate::vocabulary::Delivery;

/// What is to be written.
#[derive(Debug, Clone, Copy)]
pub struct PatchRequest<'a> {
    /// The sandbox; absolute.
    pub sandbox: &'a Path,
    /// The commit the work started from.
    pub base: &'a str,
    /// The commit to hand over.
    pub head: &'a str,
    /// The file; absolute.
    pub file: &'a Path,
    /// What the delivery calls that file.
    pub name: &'a Path,
}

/// Writes the file, whole or not at all: one patch for each commit, or one for all where merges are among
/// them, which patches cannot say. `None` where there is nothing to write. Can be repeated.
pub fn write_patch(git: &Git, request: &PatchRequest<'_>) -> Result<Option<Delivery>, DeliverError> {
    let PatchRequest { sandbox, base, head, file, name } = *request;
    let view = View::open(sandbox, base)?;
    let commits = count_commits(git, &view, base, head)?;
    let Numbers { files, insertions, deletions } = numbers::count(git, &view, base, head)?;
    if commits == 0 || files == 0 {
        return Ok(None);
    }
    let merges = view.git(git, "rev-list").args(["--count", "--min-parents=2", head]).arg(format!("^{base}"));
    let last = if merges.line()? == "0" { head.to_owned() } else { in_one(git, &view, base, head)? };
    let draft = file.with_extension("new");
    view.git(git, "format-patch")
        .args(["--binary", "--full-index", "--no-signature", "--no-renames", "--quiet"])
        .arg(format!("--output={}", draft.display()))
        .arg(format!("{base}..{last}"))
        .succeed()?;
    fs::rename(&draft, file).map_err(|source| view.files_error(source))?;
    Ok(Some(Delivery {
        base: base.to_owned(),
        branch: None,
        patch: Some(name.to_owned()),
        head: head.to_owned(),
        commits,
        files,
        insertions,
        deletions,
    }))
}

/// All of the work as one commit on `base`, with the message of the last.
fn in_one(git: &Git, view: &View, base: &str, head: &str) -> Result<String, DeliverError> {
    let message = view.git(git, "log").args(["-1", "--format=%B", head]).succeed()?;
    let commit = identity::callbox(view.git(git, "commit-tree"));
    Ok(commit.arg(format!("{head}^{{tree}}")).args(["-p", base, "-F", "-"]).input(message).line()?)
}
