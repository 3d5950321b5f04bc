//! Keeping the work of a run that has no good end: a reference of callbox's own in the project, so that
//! the work outlives its sandbox and stands in no list of branches.

use std::path::Path;

use super::{
    deliver_error::DeliverError,
    git::Git,
    numbers::{self, Numbers},
    project_ref::{Kind, Wanted, write_reference},
    state::count_commits,
    view::View,
};
use crate::vocabulary::Kept;

/// What is to be kept.
#[derive(Debug, Clone, Copy)]
pub struct KeepRequest<'a> {
    /// The root of the project's work tree; absolute.
    pub project: &'a Path,
    /// The sandbox; absolute.
    pub sandbox: &'a Path,
    /// The commit the sandbox was made from.
    pub base: &'a str,
    /// The commit to keep.
    pub head: &'a str,
    /// The wanted reference, `refs/callbox/<execution number>`.
    pub reference: &'a str,
}

/// Writes the reference; what stands in the project, `None` where there is no commit to keep, and what
/// the person should be told. Repeated after a kill it finds the reference and makes no other one. One
/// that stands elsewhere is another state directory's, and `-2` and so on is added to the name.
pub fn keep(git: &Git, request: &KeepRequest<'_>) -> Result<(Option<Kept>, Option<String>), DeliverError> {
    let view = View::open(request.sandbox, request.base)?;
    let commits = count_commits(git, &view, request.base, request.head)?;
    if commits == 0 {
        return Ok((None, None));
    }
    let Numbers { files, insertions, deletions } = numbers::count(git, &view, request.base, request.head)?;
    let name = request.reference.strip_prefix(Kind::Kept.folder()).unwrap_or(request.reference);
    let wanted = Wanted { project: request.project, kind: Kind::Kept, name, head: request.head };
    let reference = format!("{}{}", Kind::Kept.folder(), write_reference(git, &wanted, &view, None)?);
    let notice = (reference != request.reference)
        .then(|| format!("`{}` holds other work; this work is kept as `{reference}`", request.reference));
    let kept = Kept {
        base: request.base.to_owned(),
        reference,
        head: request.head.to_owned(),
        commits,
        files,
        insertions,
        deletions,
    };
    Ok((Some(kept), notice))
}
