//! `callbox diff`.

use clap::Args;
use serde::Serialize;

use crate::{
    cli::{
        context::{Context, Format},
        error::{CliError, ErrorKind},
        exit::ExitStatus,
        gather,
        opened::Opened,
        output, render, sanitise,
        shown_work::{ShownWork, shown_work},
    },
    ids::TaskNumber,
    protocol::report::TaskReport,
    sandbox::{self, DIFF_LIMIT, Patch},
};

/// Flags of `callbox diff`.
#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// The task
    #[arg(value_name = "ID")]
    task: TaskNumber,
    /// Another one, whose work the task's is compared with
    #[arg(value_name = "OTHER")]
    other: Option<TaskNumber>,
    /// Only the changed files with their numbers of lines
    #[arg(long)]
    stat: bool,
}

/// The JSON of `callbox diff --json`.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    task: TaskNumber,
    /// `null` where one task is looked at.
    other: Option<TaskNumber>,
    /// `null` where the work that is compared stands in the sandbox only.
    base: Option<&'a str>,
    /// `null` where the work stands in the sandbox only.
    head: Option<&'a str>,
    text: String,
    complete: bool,
}

impl Diff {
    /// Prints the delivered work, or what stands in the sandbox by now; of two tasks what is different between them.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let mut store = Opened::open(context).await?;
        let reports = store
            .look(async |operator| {
                let one = operator.task(self.task).await?;
                let other = match self.other {
                    Some(other) => Some(operator.task(other).await?),
                    None => None,
                };
                Ok((one, other))
            })
            .await;
        store.close().await;
        let (one, other) = reports?;
        let work = shown_work(&one)?;
        match &other {
            None => self.alone(&work, context)?,
            Some(other) => self.beside(&one, &work, other, context)?,
        }
        Ok(ExitStatus::Success)
    }

    fn alone(&self, work: &ShownWork, context: &Context) -> Result<(), CliError> {
        let git = gather::git(context)?;
        let patch = if self.stat {
            sandbox::diff_stat(&git, work.of_sandbox_room())
        } else {
            sandbox::diff(&git, work.of_sandbox_room())
        };
        let patch = patch.map_err(CliError::unavailable)?;
        self.print(&patch, (Some(work.base()), work.head()), context)?;
        if patch.bytes.is_empty() && context.format == Format::Text {
            output::say(format!("`{}` changed nothing", self.task));
        }
        Ok(())
    }

    fn beside(
        &self,
        one: &TaskReport,
        work: &ShownWork,
        other: &TaskReport,
        context: &Context,
    ) -> Result<(), CliError> {
        let (first, second) = (one.task.number, other.task.number);
        let project =
            one.task.project.as_ref().filter(|project| other.task.project.as_ref() == Some(*project));
        let Some(project) = project else {
            let message = format!(
                "{first} and {second} work on different projects, and have nothing to be compared in"
            );
            return Err(CliError::new(ErrorKind::Refused, message)
                .hinted(format!("`callbox diff {first}` and `callbox diff {second}` show each by itself")));
        };
        let beside = shown_work(other)?;
        let git = gather::git(context)?;
        let (from, to) = (work.of_sandbox_room(), beside.of_sandbox_room());
        let patch = if self.stat {
            sandbox::compare_stat(&git, project, from, to)
        } else {
            sandbox::compare(&git, project, from, to)
        };
        let patch = patch.map_err(CliError::unavailable)?;
        self.print(&patch, (work.head(), beside.head()), context)?;
        if work.base() != beside.base() {
            output::say(format!(
                "{first} and {second} started from different commits: what lies between these is shown as well"
            ));
        }
        if patch.bytes.is_empty() && context.format == Format::Text {
            output::say(format!("the work of {first} and of {second} is the same"));
        }
        Ok(())
    }

    fn print(
        &self,
        patch: &Patch,
        (base, head): (Option<&str>, Option<&str>),
        context: &Context,
    ) -> Result<(), CliError> {
        if context.format == Format::Json {
            let text = String::from_utf8_lossy(&patch.bytes).into_owned();
            let (task, other, complete) = (self.task, self.other, patch.complete);
            let shown = Shown { task, other, base, head, text, complete };
            return output::print(render::object(&shown)?);
        }
        if output::is_terminal() {
            output::print(render::patch(&sanitise::text(&String::from_utf8_lossy(&patch.bytes))))?;
        } else {
            // Ready for `git apply`, whatever the files hold.
            output::write_bytes(&patch.bytes)?;
        }
        if !patch.complete {
            output::say(format!("only the first {} MiB are shown", DIFF_LIMIT >> 20));
        }
        Ok(())
    }
}
