//! One task that comes: looked at first, placed then.

use std::path::{Path, PathBuf};

use super::conversation::{ToWrite, put_where};
use crate::{
    agents::Talk,
    archive::Luggage,
    cli::{
        context::Context,
        error::{CliError, ErrorKind},
        gather,
    },
    layout::StateDir,
    protocol::travel::Arriving,
    sandbox::{Arrival, ArrivalError, BaseRequest, Claim, CreateRequest, Git, Project, Submodules, look},
};

/// A task whose sandbox and conversation were looked at.
pub(super) struct Checked<'a> {
    pub(super) task: &'a Arriving,
    pub(super) project: Option<&'a Project>,
    sandbox: Option<(PathBuf, Arrival)>,
    files: Vec<ToWrite>,
}

impl<'a> Checked<'a> {
    /// Looks at what comes with `task`. Nothing is written beside callbox's own folder for git.
    pub(super) fn look(
        context: &Context,
        git: &Git,
        task: &'a Arriving,
        luggage: Option<&Luggage>,
        project: Option<&'a Project>,
    ) -> Result<Self, CliError> {
        let refused = |reason: String| {
            CliError::new(ErrorKind::Refused, format!("`{}` cannot be taken: {reason}", task.was))
                .hinted("nothing was taken; have the archive made again")
        };
        let sandbox = luggage.and_then(|luggage| luggage.sandbox.as_ref());
        let files = luggage.map(|luggage| &*luggage.transcript).unwrap_or_default();
        let Some(sandbox) = sandbox else {
            if !files.is_empty() {
                return Err(refused("a conversation comes along, and no sandbox".to_owned()));
            }
            return Ok(Self { task, project, sandbox: None, files: Vec::new() });
        };
        let directory = task.sandbox.as_ref().ok_or_else(|| refused("it never had a sandbox".to_owned()))?;
        let claim = Claim {
            base: sandbox.base.as_deref(),
            head: sandbox.head.as_deref(),
            work: sandbox.work.as_deref(),
            bundle: sandbox.bundle.as_deref(),
        };
        let arrival = look(git, &claim, project).map_err(|error| unfit(task, error))?;
        let files = match (files, task.session.as_deref(), context.agents.find(&task.agent)) {
            ([], ..) => Vec::new(),
            (files, Some(session), Some(adapter)) => {
                let environment = &gather::environment(context, &[])?;
                // The program will see it where it really is.
                let real = real(directory);
                let conversation = Talk { session, directory: &real, environment };
                put_where(adapter, &conversation, files)
                    .map_err(|name| refused(format!("`{name}` is no file of its conversation")))?
            }
            _ => return Err(refused("a conversation comes along that its agent never held".to_owned())),
        };
        let mut wanted = Vec::new();
        for file in files {
            let stands = file
                .stands()
                .map_err(|error| refused(format!("`{}` cannot be written: {error}", file.file.display())))?;
            if !stands {
                wanted.push(file);
            }
        }
        Ok(Self { task, project, sandbox: Some((directory.clone(), arrival)), files: wanted })
    }

    /// Whether anything is placed.
    pub(super) fn has_sandbox(&self) -> bool {
        self.sandbox.is_some()
    }

    /// Whether a conversation comes along.
    pub(super) fn has_conversation(&self, luggage: Option<&Luggage>) -> bool {
        self.has_sandbox() && luggage.is_some_and(|luggage| !luggage.transcript.is_empty())
    }

    /// What is written, aside from the sandbox and what stands beside it.
    pub(super) fn files_outside(&self) -> Vec<PathBuf> {
        let folder = self.sandbox.as_ref().and_then(|(directory, _)| directory.parent().map(real));
        let outside = |file: &&ToWrite| folder.as_ref().is_none_or(|folder| !file.file.starts_with(folder));
        self.files.iter().filter(outside).map(|file| file.file.clone()).collect()
    }

    /// Makes the sandbox and puts the conversation where it belongs; sentences for the person.
    pub(super) fn place(
        &self,
        context: &Context,
        git: &Git,
        state: &StateDir,
    ) -> Result<Vec<String>, CliError> {
        let Some((directory, arrival)) = &self.sandbox else { return Ok(Vec::new()) };
        let failed = |error| unfit(self.task, error);
        let notes = if let Some(project) = self.project {
            let all = state.sandboxes();
            let request = CreateRequest {
                project,
                directory,
                base: BaseRequest::Head,
                branch: &self.task.branch,
                copy: &self.task.copy,
                sparse: &self.task.sparse,
                submodules: if self.task.submodules { Submodules::Filled } else { Submodules::Empty },
                rules: context.settings.sandbox,
                all: &all,
            };
            let delivered = self.task.delivered.as_ref();
            let delivered = delivered.map(|standing| (&*standing.branch, &*standing.head));
            arrival.settle(git, &request, delivered).map_err(failed)?
        } else {
            arrival.settle_files(git, directory).map_err(failed)?;
            Vec::new()
        };
        for file in &self.files {
            file.write()
                .map_err(|error| CliError::lacking("the conversation could not be written", error))?;
        }
        Ok(notes)
    }
}

/// `path` without links, as far as it is there.
fn real(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let (Ok(found), Ok(rest)) = (ancestor.canonicalize(), path.strip_prefix(ancestor)) {
            return if rest.as_os_str().is_empty() { found } else { found.join(rest) };
        }
    }
    path.to_owned()
}

fn unfit(task: &Arriving, error: ArrivalError) -> CliError {
    let hint = error.hint();
    let kind = match error {
        ArrivalError::Untrue(_) | ArrivalError::TooLarge => ErrorKind::Refused,
        _ => ErrorKind::Unavailable,
    };
    let error = CliError::new(kind, Unfit { task: task.was.to_string(), source: error });
    match hint {
        Some(hint) => error.hinted(hint),
        None => error,
    }
}

/// A sandbox that cannot be made here.
#[derive(Debug, thiserror::Error)]
#[error("the sandbox of `{task}` cannot be made here")]
struct Unfit {
    task: String,
    source: ArrivalError,
}
