//! Whether delivered work is in the branch that its person works on, and the removal of callbox's own branch then.

use std::{fs, path::Path};

use super::{git::Git, git_error::GitError};

/// What all branches that callbox names begin with.
pub const OWN_BRANCHES: &str = "callbox/";
/// The default branch of the remote that a project was cloned from, as far as the project knows it.
const REMOTE_DEFAULT: &str = "refs/remotes/origin/HEAD";

/// The object that a reference names, and whether it is in use: checked out somewhere, or another name for a branch.
const FORMAT: &str = "--format=%(objectname) %(if)%(worktreepath)%(symref)%(then)used%(else)free%(end)";
/// Where git keeps the name of the branch that it is in the middle of, in the folder of each work tree.
const UNDER_WAY: [&str; 3] = ["rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"];

/// A branch as it was delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnBranch<'a> {
    /// The root of the project's work tree; absolute.
    pub project: &'a Path,
    /// Without `refs/heads/`.
    pub branch: &'a str,
    /// The delivered commit.
    pub head: &'a str,
}

/// Whether every commit of `heads` is in the branch that is checked out in `project`, or every one in its default
/// branch. One of callbox's own branches is nobody's to work on, and counts as neither.
pub fn is_merged(git: &Git, project: &Path, heads: &[&str]) -> Result<bool, GitError> {
    if heads.is_empty() || !project.is_dir() {
        return Ok(false);
    }
    for target in targets(git, project)? {
        let mut all = true;
        for head in heads {
            all = all && contains(git, project, &target, head)?;
        }
        if all {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Removes the branch if it still stands where callbox left it, no work tree stands on it and it is merged; whether it
/// did.
pub fn remove_merged(git: &Git, own: &OwnBranch<'_>) -> Result<bool, GitError> {
    if !is_removable(git, own)? {
        return Ok(false);
    }
    let reference = format!("refs/heads/{}", own.branch);
    // Only from where it stood: whoever moves it meanwhile keeps it.
    let removed =
        git.project(own.project, "update-ref").args(["--no-deref", "-d", &reference, own.head]).run()?;
    Ok(removed.status.success())
}

/// Whether [`remove_merged`] would remove it.
pub fn is_removable(git: &Git, own: &OwnBranch<'_>) -> Result<bool, GitError> {
    if !own.branch.starts_with(OWN_BRANCHES) || !own.project.is_dir() {
        return Ok(false);
    }
    let reference = format!("refs/heads/{}", own.branch);
    let found = git.project(own.project, "for-each-ref").args([FORMAT, &reference]).succeed()?;
    // A pattern also finds what is below the name: one line is this very branch.
    let found = String::from_utf8_lossy(&found);
    Ok(found.trim_end() == format!("{} free", own.head)
        && !is_rewritten(git, own)?
        && is_merged(git, own.project, &[own.head])?)
}

/// Whether a rebase or a bisection of the branch is under way in one of the project's work trees: it then stands on
/// no branch there, and comes back to this one.
fn is_rewritten(git: &Git, own: &OwnBranch<'_>) -> Result<bool, GitError> {
    let common = git.project(own.project, "rev-parse").args(["--git-common-dir"]).succeed()?;
    let common = own.project.join(String::from_utf8_lossy(&common).trim_end());
    let linked = fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
    let mut places = linked.map(|entry| entry.path()).chain([common]);
    let is_named = |place: &Path| {
        UNDER_WAY.iter().any(|file| {
            let named = fs::read_to_string(place.join(file)).unwrap_or_default();
            named.trim_end().trim_start_matches("refs/heads/") == own.branch
        })
    };
    Ok(places.any(|place| is_named(&place)))
}

/// The full names of the branches that a person works on.
fn targets(git: &Git, project: &Path) -> Result<Vec<String>, GitError> {
    let mut targets = Vec::new();
    for symbolic in ["HEAD", REMOTE_DEFAULT] {
        let output = git.project(project, "symbolic-ref").args(["--quiet", symbolic]).run()?;
        let name = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
        let remote = name.strip_prefix("refs/remotes/origin/");
        let branch = remote.or_else(|| name.strip_prefix("refs/heads/"));
        if output.status.success() && branch.is_some_and(|branch| !branch.starts_with(OWN_BRANCHES)) {
            targets.extend(remote.map(|name| format!("refs/heads/{name}")));
            targets.push(name);
        }
    }
    Ok(targets)
}

/// Whether the branch `target` is there and has `commit`.
fn contains(git: &Git, project: &Path, target: &str, commit: &str) -> Result<bool, GitError> {
    let output = git.project(project, "merge-base").args(["--is-ancestor", commit, target]).run()?;
    // A commit or a branch that is not there is not merged; git says so with another status.
    Ok(output.status.success())
}
