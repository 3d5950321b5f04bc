//! A sandbox on its way to another place: the commits that a project may lack, in a bundle, and what was not committed
//! as one more commit. Nothing of the sandbox's own `.git` goes along but objects.

use std::{collections::BTreeSet, fs, io, path::Path};

use super::{
    carrier::{Carrier, Hash},
    git::Git,
    git_error::GitError,
    identity,
    invocation::Invocation,
    snapshot::Snapshot,
    view::View,
    work_error::WorkError,
};

/// What is said of the commit with what was not committed.
const MESSAGE: &[u8] = b"What was not committed\n\nTaken by callbox on the way to another place.\n";

/// A sandbox as it stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Departure {
    /// The commit it was made from; absent where there is no project.
    pub base: Option<String>,
    /// The commit it stands on; absent where there is no project.
    pub head: Option<String>,
    /// A commit of what was not committed, on top of that; absent where everything was.
    pub work: Option<String>,
    /// A bundle of what its project may lack; absent where there is nothing.
    pub bundle: Option<Vec<u8>>,
    /// Sentences for the person, such as that a nested repository stays behind.
    pub notes: Vec<String>,
}

/// Looks at the sandbox in `directory`, of a task with `project` where it has one. Nothing in either is changed or run.
pub fn depart(git: &Git, directory: &Path, project: Option<&Path>) -> Result<Departure, WorkError> {
    match project {
        Some(project) => of_clone(git, directory, project),
        None => of_folder(git, directory),
    }
}

fn of_clone(git: &Git, directory: &Path, project: &Path) -> Result<Departure, WorkError> {
    let base = View::recorded_base(directory)?;
    let view = View::open(directory, &base)?;
    let head = view.standing()?.commit;
    let snapshot = Snapshot::of(git, &view, &head)?;
    let changes = snapshot.changes()?;
    let tree = snapshot.tree(&changes)?;
    let notes = changes.nested.iter().map(|path| stays(path)).collect();
    let committed = view.git(git, "rev-parse").args(["--verify", &format!("{head}^{{tree}}")]).line()?;
    let work = if tree == committed {
        None
    } else {
        let commit = identity::callbox(view.git(git, "commit-tree")).args([&*tree, "-p", &head, "-F", "-"]);
        Some(commit.input(MESSAGE.to_vec()).line()?)
    };
    let known = known(git, &view, project)?;
    let carrier = Carrier::new(git, Hash::of(&head), Some(view.git_directory()))?;
    carrier.know(&known).map_err(|source| view.files_error(source))?;
    let named = [("head", Some(&head)), ("base", Some(&base)), ("work", work.as_ref())];
    let bundle = bundle(git, &carrier, named).map_err(|error| sorted(&view, error))?;
    Ok(Departure { base: Some(base), head: Some(head), work, bundle, notes })
}

/// Commits that every clone of the project can be brought to have: what its branches and tags lead to, aside from
/// callbox's own, which stand in this place alone.
fn known(git: &Git, view: &View, project: &Path) -> Result<Vec<String>, WorkError> {
    if !project.is_dir() {
        return Ok(Vec::new());
    }
    let listed = git.project(project, "for-each-ref").arg("--format=%(objectname) %(refname)");
    let listed = listed.args(["refs/heads", "refs/remotes", "refs/tags"]).run()?.stdout;
    let listed = String::from_utf8_lossy(&listed);
    let named: BTreeSet<&str> = listed
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(_, name)| !name.starts_with("refs/heads/callbox/"))
        .map(|(commit, _)| commit)
        .collect();
    let asked: Vec<String> = named.iter().map(|commit| format!("{commit}^{{commit}}\n")).collect();
    let asked = asked.concat();
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let answered = view.git(git, "cat-file").arg("--batch-check").input(asked.into_bytes()).succeed()?;
    let answered = String::from_utf8_lossy(&answered);
    let commits = answered.lines().filter_map(|line| {
        let mut words = line.split(' ');
        words.next().filter(|_| words.next() == Some("commit")).map(str::to_owned)
    });
    Ok(commits.collect())
}

fn bundle(
    git: &Git,
    carrier: &Carrier,
    named: [(&'static str, Option<&String>); 3],
) -> Result<Option<Vec<u8>>, BundleError> {
    for (name, commit) in named {
        if let Some(commit) = commit {
            carrier.git(git, "update-ref").args([&format!("refs/callbox/{name}"), commit]).succeed()?;
        }
    }
    let all = ["--glob=refs/callbox/*", "--not", "--glob=refs/known/*"];
    if carrier.git(git, "rev-list").arg("--max-count=1").args(all).succeed()?.is_empty() {
        return Ok(None);
    }
    let file = carrier.path("bundle");
    carrier.git(git, "bundle").args(["create", "--quiet"]).arg(&file).args(all).succeed()?;
    Ok(Some(fs::read(file)?))
}

/// Why there is no bundle.
enum BundleError {
    Git(GitError),
    File(io::Error),
}

impl From<GitError> for BundleError {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

impl From<io::Error> for BundleError {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

fn sorted(view: &View, error: BundleError) -> WorkError {
    match error {
        BundleError::Git(error) => error.into(),
        BundleError::File(source) => view.files_error(source),
    }
}

fn of_folder(git: &Git, directory: &Path) -> Result<Departure, WorkError> {
    let files = |source| WorkError::Files { directory: directory.to_owned(), source };
    let carrier = Carrier::new(git, Hash::Sha1, None)?;
    let run = |verb: &'static str| -> Invocation {
        carrier.git(git, verb).env("GIT_WORK_TREE", directory).in_folder(directory)
    };
    let snapshot = Snapshot::beside(git, &carrier.path("none"), run).map_err(files)?;
    let changes = snapshot.changes()?;
    let notes = changes.nested.iter().map(|path| stays(path)).collect();
    let mut departure = Departure { base: None, head: None, work: None, bundle: None, notes };
    if changes.present.is_empty() {
        return Ok(departure);
    }
    let tree = snapshot.tree(&changes)?;
    let commit = identity::callbox(carrier.git(git, "commit-tree")).args([&*tree, "-F", "-"]);
    let commit = commit.input(MESSAGE.to_vec()).line()?;
    let bundle = bundle(git, &carrier, [("head", None), ("base", None), ("work", Some(&commit))]);
    departure.bundle = bundle.map_err(|error| match error {
        BundleError::Git(error) => error.into(),
        BundleError::File(source) => files(source),
    })?;
    departure.work = Some(commit);
    Ok(departure)
}

fn stays(path: &[u8]) -> String {
    let path: String = String::from_utf8_lossy(path).chars().filter(|letter| !letter.is_control()).collect();
    format!("`{path}` is a repository of its own and stays behind")
}
