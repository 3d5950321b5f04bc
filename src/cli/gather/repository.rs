//! What a project's own repository says of its tasks.

use std::path::{Path, PathBuf};

use super::project::unread;
use crate::{
    cli::{context::Context, error::CliError},
    sandbox::{self, Git, Project},
    settings::{REPOSITORY_FILE, Trust, Trusted, read_repository},
    taskfile::PartialSpec,
};

/// What counts of it, and what the person must know.
#[derive(Debug, Clone, Default)]
pub(crate) struct RepositorySays {
    /// Nothing where there is no such file, or nobody trusted its text.
    pub(crate) spec: PartialSpec,
    /// A sentence, where the file does not count.
    pub(crate) note: Option<String>,
    /// What to do about it, where the file names the agent that it is not asked for.
    pub(crate) unheard_agent: Option<String>,
}

/// Reads the file in `commit` of `project`.
pub(crate) fn repository_says(
    context: &Context,
    git: &Git,
    project: &Project,
    commit: &str,
) -> Result<RepositorySays, CliError> {
    let Some(text) = text(git, project, commit)? else { return Ok(RepositorySays::default()) };
    let file = project.root.join(REPOSITORY_FILE);
    let trust = match trusted_file(context) {
        Some(path) => loaded(&path)?.trust(&project.root, &text),
        None => Trust::Never,
    };
    let why = match trust {
        Trust::Given => {
            let spec = read_repository(&file, &text).map_err(CliError::usage)?;
            return Ok(RepositorySays { spec, ..RepositorySays::default() });
        }
        Trust::ForAnotherText => "has changed since it was trusted",
        Trust::Never => "is not trusted",
    };
    let root = project.root.display();
    let note = format!(
        "{root}: `{REPOSITORY_FILE}` {why} and does not count: `callbox trust -C {root}` shows and trusts it"
    );
    // Whatever is wrong with it is said by whoever trusts it.
    let read = read_repository(&file, &text).ok();
    let agent = read.as_ref().and_then(|spec| spec.agent.as_ref()?.one());
    let unheard_agent = agent.map(|agent| {
        format!(
            "`{REPOSITORY_FILE}` of the project names `{agent}` and {why}: `callbox trust -C {root}` has it count"
        )
    });
    Ok(RepositorySays { spec: PartialSpec::default(), note: Some(note), unheard_agent })
}

/// The file in `commit`; `None` where that has none.
pub(crate) fn text(git: &Git, project: &Project, commit: &str) -> Result<Option<Vec<u8>>, CliError> {
    sandbox::committed_file(git, project, commit, REPOSITORY_FILE).map_err(unread)
}

/// Where the person's trust is kept: beside the configuration, out of the reach of isolated agents.
pub(crate) fn trusted_file(context: &Context) -> Option<PathBuf> {
    Some(context.surroundings.configuration()?.with_file_name("trusted"))
}

/// What is trusted.
pub(crate) fn loaded(path: &Path) -> Result<Trusted, CliError> {
    Trusted::load(path)
        .map_err(|error| CliError::unavailable(NotRead { path: path.to_owned(), source: error }))
}

#[derive(Debug, thiserror::Error)]
#[error("the file `{}` of what you trust cannot be read", path.display())]
struct NotRead {
    path: PathBuf,
    source: std::io::Error,
}
