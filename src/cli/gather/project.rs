//! Which project a task is for, and whether it can be worked on.

use std::{error::Error, path::PathBuf};

use crate::{
    cli::error::CliError,
    host::prepared,
    layout::StateDir,
    sandbox::{self, Git, Project, ProjectError},
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
        Wanted::Named(path) => sandbox::inspect(git, path).map(Some).map_err(refused),
        Wanted::Around(path) => match sandbox::inspect(git, path) {
            Ok(project) => Ok(Some(project)),
            Err(ProjectError::NoRepository { .. }) => Ok(None),
            Err(error) => Err(refused(error)),
        },
    }
}

/// Git as callbox runs it to look at projects.
pub(crate) fn git(state: &StateDir) -> Result<Git, CliError> {
    // Git obeys what stands in the folder: it must be in nobody else's hands.
    let folder = prepared(state.root())?.root().join("git");
    Git::new(&folder).map_err(|source| {
        let path = folder.clone();
        CliError::unavailable(NoFolder { path, source })
            .hinted("name another state directory with `--state DIR` or in CALLBOX_STATE")
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
