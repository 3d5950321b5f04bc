//! Which project a task is for, and whether it can be worked on.

use std::{error::Error, path::PathBuf};

use crate::{
    cli::{context::Context, error::CliError, mode::Mode},
    host::prepared,
    sandbox::{self, Git, GitError, Project, ProjectError},
    vocabulary::BaseChoice,
};

/// Where a task's project comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Wanted {
    /// This one, or an error.
    Named(PathBuf),
    /// The git tree around this folder, where there is one.
    Around(PathBuf),
}

/// The project as it stands; `None` where none was named and none is around. Nothing is changed.
pub(crate) fn project(wanted: &Wanted, git: &Git) -> Result<Option<Project>, CliError> {
    match wanted {
        Wanted::Named(path) => sandbox::inspect(git, path).map(Some).map_err(refused_for_a_task),
        Wanted::Around(path) => match sandbox::inspect(git, path) {
            Ok(project) => Ok(Some(project)),
            Err(ProjectError::NoRepository { .. }) => Ok(None),
            Err(error) => Err(refused_for_a_task(error)),
        },
    }
}

/// A task can do without a project, whatever is wrong with this one.
fn refused_for_a_task(error: ProjectError) -> CliError {
    refused(error).hinted("`--no-project` leaves it out: the agent then works in an empty directory")
}

/// The root of the work tree around `path`, whether anything is committed there or not.
pub(crate) fn root(path: &std::path::Path, git: &Git) -> Result<PathBuf, CliError> {
    sandbox::work_tree_root(git, path).map_err(refused)
}

/// Git as callbox runs it to look at projects.
pub(crate) fn git(context: &Context) -> Result<Git, CliError> {
    // Git obeys what stands in the folder: it must be in nobody else's hands.
    let folder = prepared(context.state.root())?.root().join("git");
    let git = Git::new(&folder).map_err(|source| {
        let path = folder.clone();
        CliError::unavailable(NoFolder { path, source })
            .hinted("name another state directory with `--state DIR` or in CALLBOX_STATE")
    })?;
    Ok(match context.mode {
        Mode::Ordinary => git,
        Mode::Hermetic => git.of_nobody(),
    })
}

#[derive(Debug, thiserror::Error)]
#[error("the folder `{}` cannot be made", path.display())]
struct NoFolder {
    path: PathBuf,
    source: std::io::Error,
}

/// Refuses a base that `project` does not have: a task would wait for its turn only to fail.
pub(crate) fn check_base(name: &str, project: &Project, git: &Git) -> Result<(), CliError> {
    match sandbox::find_base(git, project, name) {
        Ok(_) => Ok(()),
        Err(error) => {
            let hint = error.hint();
            Err(unavailable(error, hint))
        }
    }
}

/// The project around `path`, or an error.
pub(crate) fn inspected(path: &std::path::Path, git: &Git) -> Result<Project, CliError> {
    sandbox::inspect(git, path).map_err(refused)
}

/// The commit a task that names no other work starts from, as things stand: that of `base`, or where there is no
/// such commit yet that of the project.
pub(crate) fn base_commit(base: Option<&BaseChoice>, project: &Project, git: &Git) -> String {
    match base {
        Some(BaseChoice::Revision(name)) => {
            sandbox::find_base(git, project, name).unwrap_or_else(|_| project.head.clone())
        }
        _ => project.head.clone(),
    }
}

/// The project's objects could not be read.
pub(super) fn unread(error: GitError) -> CliError {
    CliError::unavailable(error)
}

/// A task file may be as it should be and the project elsewhere: it is not to be had, as it would not
/// be for a run that finds it gone.
fn refused(error: ProjectError) -> CliError {
    let hint = error.hint();
    unavailable(error, hint)
}

fn unavailable(error: impl Into<Box<dyn Error + Send + Sync>>, hint: Option<&str>) -> CliError {
    let error = CliError::unavailable(error);
    match hint {
        Some(hint) => error.hinted(hint),
        None => error,
    }
}
