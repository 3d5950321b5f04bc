//! Handing work over: a branch in the project, made by the project's side.
//!
//! A push from the sandbox would obey the agent's configuration, return 0 and deliver nothing. The
//! project fetches instead, from callbox's own git directory, without force, and the branch is read
//! back. The objects are checked on the way like a stranger's.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use super::{
    base::fetch,
    branch_choice::{Choice, Earlier, Existing, choose},
    deliver_error::DeliverError,
    git::Git,
    git_error::GitError,
    numbers::{self, Numbers},
    state::count_commits,
    view::{View, write_private},
};
use crate::vocabulary::Delivery;

/// What is to be handed over.
#[derive(Debug, Clone, Copy)]
pub struct DeliverRequest<'a> {
    /// The root of the project's work tree; absolute.
    pub project: &'a Path,
    /// The sandbox; absolute.
    pub sandbox: &'a Path,
    /// The commit the sandbox was made from.
    pub base: &'a str,
    /// The commit to hand over.
    pub head: &'a str,
    /// The wanted branch, `callbox/<task number>-<slug>`.
    pub branch: &'a str,
}

/// Work that was handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivered {
    /// What stands in the project now; `None` when there is no commit to hand over.
    pub delivery: Option<Delivery>,
    /// What the person should be told, such as another branch name.
    pub notice: Option<String>,
}

/// Writes the branch. Repeated after a kill it finds the branch and makes no other one; after a
/// resume of the same sandbox the same branch goes on. A branch that the person moved or checked out
/// is left alone, and `-2` and so on is added to the name.
///
/// Nothing of the project changes but its objects and that one branch.
pub fn deliver(git: &Git, request: &DeliverRequest<'_>) -> Result<Delivered, DeliverError> {
    let view = View::open(request.sandbox, request.base)?;
    let commits = count_commits(git, &view, request.base, request.head)?;
    if commits == 0 {
        return Ok(Delivered { delivery: None, notice: None });
    }
    let Numbers { files, insertions, deletions } = numbers::count(git, &view, request.base, request.head)?;
    let memory = Memory { file: view.git_directory().join("delivered") };
    let branch = write_branch(git, request, &view, memory.recall())?;
    memory
        .keep(&Earlier { branch: branch.clone(), head: request.head.to_owned() })
        .map_err(|source| view.files_error(source))?;
    let notice = (branch != request.branch).then(|| {
        format!("the branch `{}` is not as callbox left it; the work is on `{branch}`", request.branch)
    });
    let delivery = Delivery {
        base: request.base.to_owned(),
        branch,
        head: request.head.to_owned(),
        commits,
        files,
        insertions,
        deletions,
    };
    Ok(Delivered { delivery: Some(delivery), notice })
}

/// A person's git may move a branch between the look and the fetch, so this looks again a few times.
fn write_branch(
    git: &Git,
    request: &DeliverRequest<'_>,
    view: &View,
    mut earlier: Option<Earlier>,
) -> Result<String, DeliverError> {
    let mut refused = None;
    for _ in 0..4 {
        let existing = existing(git, request.project, request.branch, earlier.as_ref())?;
        let branch = match choose(request.branch, request.head, earlier.as_ref(), &existing) {
            Some(Choice::Standing(branch)) => return Ok(branch),
            Some(Choice::Write(branch)) => branch,
            None => return Err(DeliverError::NoFreeName { branch: request.branch.to_owned() }),
        };
        let output = fetch(git.project(request.project, "fetch"), view.git_directory())
            .config("fetch.fsckObjects", "true")
            .arg(format!("{}:refs/heads/{branch}", request.head))
            .run()?;
        if output.status.success() {
            return read_back(git, request, branch);
        }
        if !is_refusal(&output) {
            return Err(GitError::failed("fetch", &output).into());
        }
        if let Some(existing) = in_the_way(git, request.project, &branch)? {
            return Err(DeliverError::InTheWay { existing, branch });
        }
        refused = Some(branch);
        // A branch that can't go on from where it was left is the person's from now on.
        earlier = None;
    }
    Err(DeliverError::Refused { branch: refused.unwrap_or_else(|| request.branch.to_owned()) })
}

/// The branch of the project that is called as a folder above `branch`, if there is one.
fn in_the_way(git: &Git, project: &Path, branch: &str) -> Result<Option<String>, GitError> {
    let above = branch.match_indices('/').map(|(place, _)| &branch[..place]);
    let list = git
        .project(project, "for-each-ref")
        .arg("--format=%(refname:lstrip=2)")
        .args(above.clone().map(|name| format!("refs/heads/{name}")))
        .succeed()?;
    let list = String::from_utf8_lossy(&list);
    // A pattern finds what is below the name too.
    Ok(above.map(str::to_owned).find(|name| list.lines().any(|line| line == name)))
}

/// Whether the branch and not the work was the trouble: it has other commits (status 1, and with
/// `--quiet` no word), or a work tree stands on it.
fn is_refusal(output: &Output) -> bool {
    output.status.code() == Some(1)
        || String::from_utf8_lossy(&output.stderr).contains("refusing to fetch into branch")
}

fn read_back(git: &Git, request: &DeliverRequest<'_>, branch: String) -> Result<String, DeliverError> {
    let found = git
        .project(request.project, "for-each-ref")
        .arg("--format=%(objectname)")
        .arg(format!("refs/heads/{branch}"))
        .succeed()?;
    if found.trim_ascii() == request.head.as_bytes() {
        Ok(branch)
    } else {
        Err(DeliverError::NotThere { branch, head: request.head.to_owned() })
    }
}

fn existing(
    git: &Git,
    project: &Path,
    wanted: &str,
    earlier: Option<&Earlier>,
) -> Result<Vec<Existing>, GitError> {
    let list = git
        .project(project, "for-each-ref")
        .arg("--format=%(objectname) %(if)%(worktreepath)%(then)used%(else)free%(end) %(refname:lstrip=2)")
        .arg(format!("refs/heads/{wanted}"))
        .arg(format!("refs/heads/{wanted}-*"))
        .arg(format!("refs/heads/{wanted}-*/**"))
        .args(earlier.map(|earlier| format!("refs/heads/{}", earlier.branch)))
        .succeed()?;
    let list = String::from_utf8_lossy(&list);
    list.lines()
        .map(|line| read_existing(line).ok_or_else(|| GitError::answer("for-each-ref", line.as_bytes())))
        .collect()
}

fn read_existing(line: &str) -> Option<Existing> {
    let mut parts = line.splitn(3, ' ');
    let (commit, used, name) = (parts.next()?, parts.next()?, parts.next()?);
    Some(Existing { name: name.to_owned(), commit: commit.to_owned(), checked_out: used == "used" })
}

/// Where the work of a sandbox went the last time: a file in the view, which lives as long as the
/// sandbox and is out of the agent's way. A new sandbox remembers nothing and takes a new branch.
struct Memory {
    file: PathBuf,
}

impl Memory {
    fn recall(&self) -> Option<Earlier> {
        // What cannot be read is not remembered: the work then goes to a branch of another name.
        let text = fs::read_to_string(&self.file).ok()?;
        let (head, branch) = text.trim_end().split_once(' ')?;
        Some(Earlier { branch: branch.to_owned(), head: head.to_owned() })
    }

    fn keep(&self, earlier: &Earlier) -> std::io::Result<()> {
        write_private(&self.file, &format!("{} {}\n", earlier.head, earlier.branch))
    }
}
