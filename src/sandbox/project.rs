//! Whether callbox can work on a project, and what a person should know before it does.

use std::{
    ffi::OsStr,
    fs, io,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use super::{
    git::Git,
    git_error::GitError,
    project_error::ProjectError,
    project_notes::{self, Lack, Prepared},
};

/// A project that a sandbox can be made of, as it stood when it was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The root of the work tree; absolute.
    pub root: PathBuf,
    /// The git directory that all work trees of the project share; absolute.
    pub common: PathBuf,
    /// The commit it stands on.
    pub head: String,
    /// The branch it stands on; `None` when HEAD is detached.
    pub branch: Option<String>,
    /// Whether its history is cut off.
    pub shallow: bool,
    /// Files with changes that are not committed, new files included.
    pub uncommitted: usize,
    /// What a clone of it lacks.
    pub lacks: Vec<Lack>,
}

impl Project {
    /// What the person of a task that is `prepared` like this should know before an agent works on a clone.
    pub fn notes(&self, prepared: Prepared<'_>) -> Vec<String> {
        self.lacks.iter().filter_map(|lack| lack.said(prepared)).collect()
    }

    /// The same for a sandbox that starts from the work tree with all that is not committed.
    pub fn with_changes(mut self) -> Self {
        self.lacks.retain(|lack| !matches!(lack, Lack::Changes(_)));
        self
    }
}

/// Looks at the project around `path`, which may be any folder of its work tree.
pub fn inspect(git: &Git, path: &Path) -> Result<Project, ProjectError> {
    let start = readable_folder(path)?;
    let place = locate(git, &start, path)?;
    if place.branch_in_the_way {
        return Err(ProjectError::BranchInTheWay { root: place.root });
    }
    let status = git
        .person(&place.root, "status")
        .args(["--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--no-renames"])
        .args(["--no-ahead-behind", "--ignore-submodules=all"])
        .succeed()?;
    let state = read_status(&status).ok_or_else(|| GitError::answer("status", &status))?;
    let Some(head) = state.head else { return Err(ProjectError::NoCommit { root: place.root }) };
    let lacks = project_notes::lacks(&place.root, state.uncommitted);
    let Place { root, common, shallow, .. } = place;
    Ok(Project { root, common, head, branch: state.branch, shallow, uncommitted: state.uncommitted, lacks })
}

/// The root of the work tree around `path`; nothing need be committed there.
pub fn work_tree_root(git: &Git, path: &Path) -> Result<PathBuf, ProjectError> {
    Ok(locate(git, &readable_folder(path)?, path)?.root)
}

struct Place {
    root: PathBuf,
    common: PathBuf,
    shallow: bool,
    /// Whether a branch has the name of the folder of callbox's branches.
    branch_in_the_way: bool,
}

/// Git's own message for an unreadable folder speaks of repositories, so this looks first.
fn readable_folder(path: &Path) -> Result<PathBuf, ProjectError> {
    let unreadable = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => ProjectError::NotFound { path: path.to_owned() },
        io::ErrorKind::NotADirectory => ProjectError::NotAFolder { path: path.to_owned() },
        _ => ProjectError::Unreadable { path: path.to_owned(), source },
    };
    let start = fs::canonicalize(path).map_err(unreadable)?;
    fs::read_dir(&start).and_then(|_| fs::metadata(start.join("."))).map_err(unreadable)?;
    Ok(start)
}

fn locate(git: &Git, start: &Path, asked: &Path) -> Result<Place, ProjectError> {
    // A pattern shows only what exists, so this asks for a branch called `callbox` without failing
    // where there is none. The path comes last because it may hold anything, a newline too.
    let output = git
        .person(start, "rev-parse")
        .upwards()
        .args(["--path-format=absolute", "--is-inside-work-tree", "--is-bare-repository"])
        .args(["--is-shallow-repository", "--show-cdup", "--symbolic-full-name", "--branches=callbo[x]"])
        .arg("--git-common-dir")
        .run()?;
    if !output.status.success() {
        let error = GitError::failed("rev-parse", &output);
        let absent = output.stderr.windows(20).any(|words| words == b"not a git repository");
        return Err(if absent {
            ProjectError::NoRepository { path: asked.to_owned() }
        } else {
            error.into()
        });
    }
    let unread = || GitError::answer("rev-parse", &output.stdout);
    let mut rest = output.stdout.as_slice();
    let mut line = || split_line(&mut rest).ok_or_else(unread);
    let inside = line()?;
    if line()? == b"true" {
        return Err(ProjectError::Bare { path: asked.to_owned() });
    }
    if inside != b"true" {
        return Err(ProjectError::GitFolder { path: asked.to_owned() });
    }
    let shallow = line()? == b"true";
    let root = start.join(OsStr::from_bytes(line()?));
    let root = fs::canonicalize(&root).map_err(|source| ProjectError::Unreadable { path: root, source })?;
    let branch_in_the_way = match rest.strip_prefix(b"refs/heads/callbox\n") {
        Some(behind) => {
            rest = behind;
            true
        }
        None => false,
    };
    let common = rest.strip_suffix(b"\n").filter(|path| path.starts_with(b"/")).ok_or_else(unread)?;
    let common = PathBuf::from(OsStr::from_bytes(common));
    Ok(Place { root, common, shallow, branch_in_the_way })
}

fn split_line<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let (line, tail) = rest.split_at(end);
    *rest = &tail[1..];
    Some(line)
}

struct Standing {
    head: Option<String>,
    branch: Option<String>,
    uncommitted: usize,
}

/// Reads `git status --porcelain=v2 --branch -z --no-renames`; `None` when it is anything else.
fn read_status(status: &[u8]) -> Option<Standing> {
    let mut standing = Standing { head: None, branch: None, uncommitted: 0 };
    let mut described = false;
    for entry in status.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
        if let Some(id) = entry.strip_prefix(b"# branch.oid ") {
            described = true;
            standing.head = (id != b"(initial)").then(|| String::from_utf8_lossy(id).into_owned());
        } else if let Some(name) = entry.strip_prefix(b"# branch.head ") {
            standing.branch = (name != b"(detached)").then(|| String::from_utf8_lossy(name).into_owned());
        } else if !entry.starts_with(b"# ") {
            standing.uncommitted += 1;
        }
    }
    described.then_some(standing)
}
