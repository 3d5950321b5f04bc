//! What a sandbox starts from.

use std::path::{Path, PathBuf};

use super::{
    create_error::CreateError, git::Git, git_error::GitError, identity, invocation::Invocation, pack::Pack,
    project::Project, view::View, worktree_base::snapshot,
};

/// What a sandbox is to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseRequest<'a> {
    /// The commit the project stood on when it was looked at.
    Head,
    /// The project's work tree as it stands, with what is not committed and not ignored.
    Worktree,
    /// A branch, tag or commit of the project.
    Revision(&'a str),
    /// The commits that predecessors delivered into the project; several are merged in the sandbox.
    /// Where none of them changed anything there is none, and the project's HEAD it is.
    After(&'a [String]),
    /// The work of a sandbox that is gone; this one is to be as that one was.
    More {
        /// The commit that the work started from.
        base: &'a str,
        /// The commit of the project that it had come to.
        head: &'a str,
        /// The branch that it was delivered on last, and the commit where callbox left that.
        delivered: Option<(&'a str, &'a str)>,
    },
    /// The work of a sandbox that stood in another place; this one is to be as that one was.
    Moved {
        /// The commit that the work started from.
        base: &'a str,
        /// The commit that it had come to.
        head: &'a str,
        /// The branch that it was delivered on last, and the commit where callbox left that.
        delivered: Option<(&'a str, &'a str)>,
        /// A folder with packs of the commits that the project may lack.
        packs: &'a Path,
    },
    /// A commit in another sandbox of the same project.
    Sandbox {
        /// That sandbox; absolute.
        directory: &'a Path,
        /// The commit, recorded when the subtask was spawned.
        commit: &'a str,
    },
}

/// A base that is known to exist, or to be fetched.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Base {
    first: String,
    others: Vec<String>,
    from: Option<PathBuf>,
    pack: Option<Pack>,
}

/// Finds the commits before anything is copied, so that a wrong name costs nothing.
pub(super) fn resolve(git: &Git, project: &Project, request: BaseRequest<'_>) -> Result<Base, CreateError> {
    match request {
        BaseRequest::Head => Ok(Base::of(project.head.clone())),
        BaseRequest::Worktree => {
            let (commit, pack) = snapshot(git, project)?;
            Ok(Base { pack, ..Base::of(commit) })
        }
        BaseRequest::Revision(name) => find_base(git, project, name).map(Base::of),
        BaseRequest::More { head, .. } => find_base(git, project, head).map(Base::of),
        BaseRequest::Moved { head, packs, .. } => {
            let files = |source| CreateError::Files { directory: packs.to_owned(), source };
            let pack = Pack::copy_of(git, packs).map_err(files)?;
            Ok(Base { pack, ..Base::of(head.to_owned()) })
        }
        BaseRequest::Sandbox { directory, commit } => fetchable(directory, commit),
        BaseRequest::After(heads) => {
            let Some((first, others)) = heads.split_first() else {
                return Ok(Base::of(project.head.clone()));
            };
            let others = others.iter().map(|name| find_base(git, project, name)).collect::<Result<_, _>>()?;
            Ok(Base { others, ..Base::of(find_base(git, project, first)?) })
        }
    }
}

/// Checks the base out on `branch` in the new clone; the commit the agent starts from.
pub(super) fn check_out(git: &Git, clone: &Path, base: &Base, branch: &str) -> Result<String, CreateError> {
    let run = |verb| git.project(clone, verb);
    if let Some(view) = &base.from {
        fetch(run("fetch"), view).arg(&base.first).succeed()?;
    }
    if let Some(pack) = &base.pack {
        let files = |source| CreateError::Files { directory: clone.to_owned(), source };
        pack.copy_into(&clone.join(".git/objects")).map_err(files)?;
    }
    run("checkout").args(["--quiet", "--force", "--no-track", "-B", branch, &base.first, "--"]).succeed()?;
    if base.others.is_empty() {
        return Ok(base.first.clone());
    }
    for other in &base.others {
        merge(git, clone, other)?;
    }
    Ok(run("rev-parse").args(["--verify", "HEAD"]).line()?)
}

impl Base {
    /// The commit that is checked out first, or the nearest to it where `project` itself does not have it.
    pub(super) fn known_to<'a>(&'a self, project: &'a Project) -> &'a str {
        if self.pack.is_some() || self.from.is_some() { &project.head } else { &self.first }
    }

    /// The bytes of what comes with it that the project does not have.
    pub(super) fn size(&self) -> u64 {
        self.pack.as_ref().map_or(0, Pack::size)
    }

    fn of(commit: String) -> Self {
        Self { first: commit, others: Vec::new(), from: None, pack: None }
    }
}

/// A sandbox that is gone may have delivered its commit, so the clone is then looked at alone.
fn fetchable(directory: &Path, commit: &str) -> Result<Base, CreateError> {
    if !directory.exists() {
        return Ok(Base::of(commit.to_owned()));
    }
    let view = View::open(directory, commit).map_err(CreateError::Parent)?;
    Ok(Base { from: Some(view.git_directory().to_owned()), ..Base::of(commit.to_owned()) })
}

/// The commit that `name`, a branch, tag or commit, stands for in `project`.
pub fn find_base(git: &Git, project: &Project, name: &str) -> Result<String, CreateError> {
    let output = git
        .project(&project.root, "rev-parse")
        .args(["--verify", "--quiet", "--end-of-options"])
        .arg(format!("{name}^{{commit}}"))
        .run()?;
    if !output.status.success() {
        return Err(CreateError::NoSuchBase { base: name.to_owned(), project: project.root.clone() });
    }
    let commit = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
    if commit.len() < 40 { Err(GitError::answer("rev-parse", &output.stdout).into()) } else { Ok(commit) }
}

/// Whether `name` is a branch of `project`.
pub fn is_branch(git: &Git, project: &Project, name: &str) -> Result<bool, GitError> {
    let reference = format!("refs/heads/{name}");
    let shown = git.project(&project.root, "show-ref").args(["--verify", "--quiet", &reference]).run()?;
    Ok(shown.status.success())
}

/// Takes commits out of `source` and leaves no trace of that but the objects. A rule that rewrites the
/// place to itself is the longest there can be, so no `insteadOf` of the repository sends git elsewhere.
pub(super) fn fetch(fetch: Invocation, source: &Path) -> Invocation {
    // The name of a configuration value can't hold a line break.
    let fetch = match source.to_str().filter(|place| !place.contains('\n')) {
        Some(place) => fetch.config(&format!("url.{place}.insteadOf"), place),
        None => fetch,
    };
    fetch
        .args(["--quiet", "--no-write-fetch-head", "--no-auto-gc", "--no-tags", "--no-prune"])
        .args(["--no-recurse-submodules", "--"])
        .arg(source)
}

fn merge(git: &Git, clone: &Path, commit: &str) -> Result<(), CreateError> {
    let output = identity::callbox(git.project(clone, "merge"))
        .args(["--quiet", "--no-edit", "-m", "Merge the work of another task", commit])
        .run()?;
    if output.status.success() {
        return Ok(());
    }
    let unmerged = git.project(clone, "diff").args(["--name-only", "--diff-filter=U", "-z"]).succeed()?;
    let files: Vec<_> = unmerged
        .split(|byte| *byte == 0)
        .filter(|file| !file.is_empty())
        .map(|file| String::from_utf8_lossy(file).into_owned())
        .collect();
    if files.is_empty() {
        return Err(GitError::failed("merge", &output).into());
    }
    Err(CreateError::Conflict { files, commit: commit.to_owned() })
}
