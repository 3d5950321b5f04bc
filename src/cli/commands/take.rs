//! `callbox take`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::{
    cli::{
        context::Context,
        error::{CliError, ErrorKind},
        exit::ExitStatus,
        finished_work::{FinishedWork, finished_work},
        gather,
        opened::Opened,
        others::{self, Other},
        sanitise,
    },
    ids::TaskNumber,
    protocol::report::TaskReport,
    sandbox::{self, TakeError, TakeRequest, Taken, TakenBy},
};

/// Flags of `callbox take`.
#[derive(Debug, Args)]
pub(crate) struct Take {
    /// The task
    #[arg(value_name = "ID")]
    task: TaskNumber,
}

/// The JSON of `callbox take --json`.
#[derive(Debug, Serialize)]
struct TakenWork<'a> {
    task: TaskNumber,
    project: &'a Path,
    branch: &'a str,
    head: &'a str,
    /// `fast_forward`, `merge`, or `nothing` where the branch had it already.
    way: &'static str,
    /// The other tasks of the comparison that it was part of.
    others: &'a [Other],
}

impl Take {
    /// Merges the task's work into the branch that is checked out in its project.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let task = self.task;
        let mut store = Opened::open(context).await?;
        let report = store.look(async |operator| operator.task(task).await).await;
        let (mut store, report) = store.or_close(report).await?;
        let project = report.task.project.clone().unwrap_or_default();
        let taken = match finished_work(&report) {
            Some(work) => take(context, &project, task, work),
            None => Err(nothing_to_take(&report)),
        };
        let (taken, others) = match taken {
            Ok(taken) => (taken, others::give_up(&mut store, &report.task).await),
            Err(error) => {
                store.close().await;
                return Err(error);
            }
        };
        store.close_settled().await;
        let (others, unknown) = match others {
            Ok(others) => (others, None),
            // The work is taken all the same, and that is to be said first.
            Err(error) => (Vec::new(), Some(error)),
        };
        let done = TakenWork {
            task,
            project: &project,
            branch: &taken.branch,
            head: &taken.head,
            way: match taken.way {
                TakenBy::FastForward => "fast_forward",
                TakenBy::Merge => "merge",
                TakenBy::Nothing => "nothing",
            },
            others: &others,
        };
        context.answer(&done, |_| {
            let lines = others.iter().map(|other| other.message.clone() + "\n");
            sanitise::line(&sentence(task, &taken)) + "\n" + &lines.collect::<String>()
        })?;
        unknown.map_or(Ok(ExitStatus::Success), Err)
    }
}

fn nothing_to_take(report: &TaskReport) -> CliError {
    let task = report.task.number;
    match report.delivery.as_ref().and_then(|delivery| delivery.patch.as_ref()) {
        Some(patch) => CliError::new(ErrorKind::Refused, format!("the work of `{task}` is a patch"))
            .hinted(format!("`git am {}` takes it", patch.display())),
        None => CliError::new(ErrorKind::Refused, format!("`{task}` has no work to take"))
            .hinted(format!("`callbox why {task}` says how it stands")),
    }
}

fn take(
    context: &Context,
    project: &PathBuf,
    task: TaskNumber,
    work: FinishedWork<'_>,
) -> Result<Taken, CliError> {
    let message = format!("Merge {}\n\nCallbox-Task: {task}\n", work.words());
    let request = TakeRequest { project, head: work.head(), message: &message };
    sandbox::take(&gather::git(context)?, &request).map_err(|error| {
        let hint = error.hint().replace("ID", &task.to_string());
        let kind = match error {
            TakeError::Git { .. } => ErrorKind::Unavailable,
            _ => ErrorKind::Refused,
        };
        CliError::new(kind, error).hinted(hint)
    })
}

fn sentence(task: TaskNumber, taken: &Taken) -> String {
    let Taken { branch, head, way } = taken;
    let commit = head.get(..12).unwrap_or(head);
    match way {
        TakenBy::FastForward => format!("{branch} is moved on to the work of {task}, at {commit}"),
        TakenBy::Merge => format!("the work of {task} is merged into {branch}, at {commit}"),
        TakenBy::Nothing => format!("{branch} has the work of {task} already"),
    }
}
