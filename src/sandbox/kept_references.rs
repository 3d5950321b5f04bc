//! Which of callbox's own references a project has.

use std::path::Path;

use super::{git::Git, git_error::GitError};

/// Their full names, each with its commit; none where the project is gone.
pub fn kept_references(git: &Git, project: &Path) -> Result<Vec<(String, String)>, GitError> {
    if !project.is_dir() {
        return Ok(Vec::new());
    }
    let listed = git
        .project(project, "for-each-ref")
        .args(["--format=%(refname) %(objectname)", "refs/callbox"])
        .succeed()?;
    let text = String::from_utf8_lossy(&listed);
    let pairs = text.lines().filter_map(|line| line.split_once(' '));
    Ok(pairs.map(|(name, head)| (name.to_owned(), head.to_owned())).collect())
}
