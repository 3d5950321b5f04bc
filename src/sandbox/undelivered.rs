//! Whether a sandbox is the only place where work stands. The disk is asked, not what was once recorded: a person
//! may have worked in a sandbox after its task ended, and may have dropped what stood in the project.

use std::{collections::HashSet, fs, path::Path};

use super::{git::Git, git_error::GitError, snapshot::Snapshot, view::View, work_error::WorkError};

/// A sandbox, and what was handed over of it.
#[derive(Debug, Clone, Copy)]
pub struct Leaving<'a> {
    /// The sandbox; absolute.
    pub directory: &'a Path,
    /// The root of the project's work tree; absolute. Absent where the agent worked in an empty folder.
    pub project: Option<&'a Path>,
    /// Commits that were handed over or kept, the last one last.
    pub handed: &'a [Handed<'a>],
}

/// A commit that was handed over.
#[derive(Debug, Clone, Copy)]
pub struct Handed<'a> {
    /// The commit.
    pub head: &'a str,
    /// The patch it was handed over as; absent where it stands in the project.
    pub patch: Option<&'a Path>,
}

/// What would be lost with the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Undelivered {
    /// Files without a project that they could have been handed over to.
    #[error("files stand in it and nowhere else, because the task has no project")]
    Files,
    /// Its files are not those of any commit that was handed over.
    #[error("{} in it that {} not handed over", some(first, *files), if *files == 1 { "was" } else { "were" })]
    Changes {
        /// How many files differ.
        files: usize,
        /// One of them.
        first: String,
    },
    /// The commit that was handed over is not to be had any more.
    #[error(
        "its work, commit {}, stands on no branch or other reference of the project any more",
        short(head)
    )]
    Unreferenced {
        /// The commit.
        head: String,
    },
    /// Something was committed beside what was handed over, or put aside.
    #[error("`{name}` in it holds commits that stand nowhere else")]
    Beside {
        /// The reference in the sandbox.
        name: String,
    },
    /// The patch that was handed over is gone.
    #[error("the patch with its work is gone")]
    PatchGone,
}

/// What would be lost with the sandbox; `None` where that is nothing. Nothing in it is changed or run.
pub fn undelivered(git: &Git, leaving: &Leaving<'_>) -> Result<Option<Undelivered>, WorkError> {
    let Some(project) = leaving.project else { return files(leaving.directory) };
    let base = View::recorded_base(leaving.directory)?;
    let view = View::open(leaving.directory, &base)?;
    let standing = view.standing()?;
    let snapshot = Snapshot::of(git, &view, &standing.commit)?;
    let changes = snapshot.changes()?;
    if let Some(nested) = changes.nested.first() {
        let first = String::from_utf8_lossy(nested).into_owned();
        return Ok(Some(Undelivered::Changes { files: changes.nested.len(), first }));
    }
    if let Some(name) = beside(git, &view, project, (&base, &standing.commit, leaving.handed))? {
        return Ok(Some(Undelivered::Beside { name }));
    }
    let tree = snapshot.tree(&changes)?;
    if same(git, &view, &base, &tree)? {
        return Ok(None);
    }
    let mut lost = None;
    for handed in leaving.handed.iter().rev() {
        if !same(git, &view, handed.head, &tree)? {
            continue;
        }
        if stands(git, project, handed)? {
            return Ok(None);
        }
        lost = Some(match handed.patch {
            Some(_) => Undelivered::PatchGone,
            None => Undelivered::Unreferenced { head: handed.head.to_owned() },
        });
    }
    if lost.is_some() {
        return Ok(lost);
    }
    let from = leaving.handed.last().map_or(&*base, |handed| handed.head);
    differing(git, &view, from, &tree).map(Some)
}

/// A reference of the sandbox's, such as another branch or the stash, that leads to what neither the work which is
/// looked at otherwise nor the project has.
fn beside(
    git: &Git,
    view: &View,
    project: &Path,
    (base, head, handed): (&str, &str, &[Handed<'_>]),
) -> Result<Option<String>, WorkError> {
    let of_project = if project.is_dir() {
        git.project(project, "for-each-ref").arg("--format=%(objectname)").run()?.stdout
    } else {
        Vec::new()
    };
    let of_project = String::from_utf8_lossy(&of_project);
    let known: HashSet<&str> = of_project.lines().chain([base, head]).collect();
    let mut accounted = vec![base, head];
    for handed in handed {
        if stands(git, project, handed)? && view_has(git, view, handed.head)? {
            accounted.push(handed.head);
        }
    }
    for (name, commit) in view.agent().references()? {
        if known.contains(&*commit) {
            continue;
        }
        let more = view.git(git, "rev-list").args(["--max-count=1", &commit, "--not"]).args(&accounted);
        let more = more.arg("--").run()?;
        if !more.status.success() || (!more.stdout.is_empty() && !is_referenced(git, project, &commit)?) {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

fn view_has(git: &Git, view: &View, commit: &str) -> Result<bool, GitError> {
    let asked = view.git(git, "cat-file").args(["-e", &format!("{commit}^{{commit}}")]).run()?;
    Ok(asked.status.success())
}

/// Whether what was handed over is still there: the patch, or a reference of the project that leads to it.
fn stands(git: &Git, project: &Path, handed: &Handed<'_>) -> Result<bool, GitError> {
    match handed.patch {
        Some(patch) => Ok(patch.is_file()),
        None => is_referenced(git, project, handed.head),
    }
}

fn files(directory: &Path) -> Result<Option<Undelivered>, WorkError> {
    let read = fs::read_dir(directory).and_then(|mut entries| entries.next().transpose());
    match read {
        Ok(found) => Ok(found.map(|_| Undelivered::Files)),
        Err(source) => Err(WorkError::Gone { directory: directory.to_owned(), source }),
    }
}

/// Whether `commit` holds exactly `tree`. One that the sandbox does not have is not what stands in it.
fn same(git: &Git, view: &View, commit: &str, tree: &str) -> Result<bool, GitError> {
    let answer =
        view.git(git, "rev-parse").args(["--verify", "--quiet", &format!("{commit}^{{tree}}")]).run()?;
    Ok(answer.status.success() && String::from_utf8_lossy(&answer.stdout).trim_end() == tree)
}

/// Whether a branch or another reference of the project leads to `commit`. A project that is not to be had has none.
fn is_referenced(git: &Git, project: &Path, commit: &str) -> Result<bool, GitError> {
    if !project.is_dir() {
        return Ok(false);
    }
    let answer = git.project(project, "for-each-ref").args(["--count=1", "--contains", commit]).run()?;
    Ok(answer.status.success() && !answer.stdout.is_empty())
}

fn differing(git: &Git, view: &View, from: &str, tree: &str) -> Result<Undelivered, WorkError> {
    let answer = view.git(git, "diff-tree").args(["-r", "-z", "--name-only", from, tree, "--"]).run()?;
    let names = answer.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let names: Vec<_> = names.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let first = names.first().cloned().unwrap_or_else(|| "work".to_owned());
    Ok(Undelivered::Changes { files: names.len().max(1), first })
}

fn some(first: &str, files: usize) -> String {
    match files {
        1 => format!("`{first}` stands"),
        2 => format!("`{first}` and another file stand"),
        files => format!("`{first}` and {} other files stand", files - 1),
    }
}

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}
