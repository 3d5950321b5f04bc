//! Writing a reference of the project, made by the project's side.
//!
//! A push from the sandbox would obey the agent's configuration, return 0 and deliver nothing. The
//! project fetches instead, from callbox's own git directory, without force, and the reference is read
//! back. The objects are checked on the way like a stranger's.

use std::{path::Path, process::Output};

use super::{
    base::fetch,
    branch_choice::{Choice, Earlier, Existing, choose},
    deliver_error::DeliverError,
    git::Git,
    git_error::GitError,
    view::View,
};

/// Which of a project's references work goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A branch.
    Branch,
    /// One of callbox's own, which no list of branches shows and no fetch takes along.
    Kept,
}

impl Kind {
    /// The folder that all of them stand in.
    pub(super) fn folder(self) -> &'static str {
        match self {
            Self::Branch => "refs/heads/",
            Self::Kept => "refs/callbox/",
        }
    }

    /// What a person calls the one named `name`.
    fn words(self, name: &str) -> String {
        match self {
            Self::Branch => format!("branch `{name}`"),
            Self::Kept => format!("reference `refs/callbox/{name}`"),
        }
    }
}

/// What is to be written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// The root of the project's work tree; absolute.
    pub(super) project: &'a Path,
    /// Which reference.
    pub(super) kind: Kind,
    /// Its name behind the folder of its kind.
    pub(super) name: &'a str,
    /// The commit.
    pub(super) head: &'a str,
}

/// Writes the reference, `-2` and so on being added where the name is somebody else's; the name. A
/// person's git may move a branch between the look and the fetch, so this looks again a few times.
pub(super) fn write_reference(
    git: &Git,
    wanted: &Wanted<'_>,
    view: &View,
    mut earlier: Option<Earlier>,
) -> Result<String, DeliverError> {
    let Wanted { project, kind, head, .. } = *wanted;
    let mut refused = None;
    for _ in 0..4 {
        let existing = existing(git, wanted, earlier.as_ref())?;
        let name = match choose(wanted.name, head, earlier.as_ref(), &existing) {
            Some(Choice::Standing(name)) => return Ok(name),
            Some(Choice::Write(name)) => name,
            None => return Err(DeliverError::NoFreeName { wanted: kind.words(wanted.name) }),
        };
        let output = fetch(git.project(project, "fetch"), view.git_directory())
            .config("fetch.fsckObjects", "true")
            .arg(format!("{head}:{}{name}", kind.folder()))
            .run()?;
        if output.status.success() {
            return read_back(git, wanted, name);
        }
        if !is_refusal(&output) {
            return Err(GitError::failed("fetch", &output).into());
        }
        if let Some(existing) = in_the_way(git, wanted, &name)? {
            return Err(DeliverError::InTheWay { existing, wanted: kind.words(&name) });
        }
        refused = Some(name);
        // A branch that can't go on from where it was left is the person's from now on.
        earlier = None;
    }
    Err(DeliverError::Refused { wanted: kind.words(refused.as_deref().unwrap_or(wanted.name)) })
}

/// The reference of the project that is called as a folder above `name`, if there is one.
fn in_the_way(git: &Git, wanted: &Wanted<'_>, name: &str) -> Result<Option<String>, GitError> {
    let above = name.match_indices('/').map(|(place, _)| &name[..place]);
    let list = git
        .project(wanted.project, "for-each-ref")
        .arg("--format=%(refname:lstrip=2)")
        .args(above.clone().map(|name| format!("{}{name}", wanted.kind.folder())))
        .succeed()?;
    let list = String::from_utf8_lossy(&list);
    // A pattern finds what is below the name too.
    let found = above.map(str::to_owned).find(|name| list.lines().any(|line| line == name));
    Ok(found.map(|name| wanted.kind.words(&name)))
}

/// Whether the branch and not the work was the trouble: it has other commits (status 1, and with
/// `--quiet` no word), or a work tree stands on it.
fn is_refusal(output: &Output) -> bool {
    output.status.code() == Some(1)
        || String::from_utf8_lossy(&output.stderr).contains("refusing to fetch into branch")
}

fn read_back(git: &Git, wanted: &Wanted<'_>, name: String) -> Result<String, DeliverError> {
    let found = git
        .project(wanted.project, "for-each-ref")
        .arg("--format=%(objectname)")
        .arg(format!("{}{name}", wanted.kind.folder()))
        .succeed()?;
    if found.trim_ascii() == wanted.head.as_bytes() {
        Ok(name)
    } else {
        Err(DeliverError::NotThere { wanted: wanted.kind.words(&name), head: wanted.head.to_owned() })
    }
}

fn existing(git: &Git, wanted: &Wanted<'_>, earlier: Option<&Earlier>) -> Result<Vec<Existing>, GitError> {
    let place = |name: &str| format!("{}{name}", wanted.kind.folder());
    let list = git
        .project(wanted.project, "for-each-ref")
        .arg("--format=%(objectname) %(if)%(worktreepath)%(then)used%(else)free%(end) %(refname:lstrip=2)")
        .arg(place(wanted.name))
        .arg(place(&format!("{}-*", wanted.name)))
        .arg(place(&format!("{}-*/**", wanted.name)))
        .args(earlier.map(|earlier| place(&earlier.branch)))
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
