//! Whether a sandbox and a project are of the same history.

use std::path::Path;

use super::{git::Git, project::Project, view::View, work_error::WorkError};

/// How far back is looked: further than any work of one task goes, short of what a large history takes.
const FAR: &str = "--max-count=1000";

/// Whether `project` has the commit that the sandbox in `directory` was made from, or one before it.
pub fn is_related(git: &Git, directory: &Path, project: &Project) -> Result<bool, WorkError> {
    let base = View::recorded_base(directory)?;
    let view = View::open(directory, &base)?;
    let before = view.git(git, "rev-list").args([FAR, &base, "--"]).succeed()?;
    let asked = git.project(&project.root, "cat-file").arg("--batch-check=%(objecttype)").input(before);
    let answered = asked.succeed()?;
    Ok(answered.split(|byte| *byte == b'\n').any(|kind| kind == b"commit"))
}
