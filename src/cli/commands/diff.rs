//! `callbox diff`.

use clap::Args;
use serde::Serialize;

use crate::{
    cli::{
        context::{Context, Format},
        error::CliError,
        exit::ExitStatus,
        gather,
        opened::Opened,
        output, render, sanitise,
        shown_work::{ShownWork, shown_work},
    },
    ids::TaskNumber,
    sandbox::{self, DIFF_LIMIT, Patch},
};

/// Flags of `callbox diff`.
#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// The task
    #[arg(value_name = "ID")]
    task: TaskNumber,
    /// Only the changed files with their numbers of lines
    #[arg(long)]
    stat: bool,
}

/// The JSON of `callbox diff --json`.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    task: TaskNumber,
    base: &'a str,
    /// `null` where the work stands in the sandbox only.
    head: Option<&'a str>,
    text: String,
    complete: bool,
}

impl Diff {
    /// Prints the delivered work, or what stands in the sandbox by now.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let mut store = Opened::open(context).await?;
        let report = store.look(async |operator| operator.task(self.task).await).await;
        store.close().await;
        let work = shown_work(&report?)?;
        let git = gather::git(context)?;
        let patch = if self.stat {
            sandbox::diff_stat(&git, work.of_sandbox_room())
        } else {
            sandbox::diff(&git, work.of_sandbox_room())
        };
        self.print(&patch.map_err(CliError::unavailable)?, &work, context)?;
        Ok(ExitStatus::Success)
    }

    fn print(&self, patch: &Patch, work: &ShownWork, context: &Context) -> Result<(), CliError> {
        if context.format == Format::Json {
            let text = String::from_utf8_lossy(&patch.bytes).into_owned();
            let (base, head) = (work.base(), work.head());
            let shown = Shown { task: self.task, base, head, text, complete: patch.complete };
            return output::print(render::object(&shown)?);
        }
        if output::is_terminal() {
            output::print(render::patch(&sanitise::text(&String::from_utf8_lossy(&patch.bytes))))?;
        } else {
            // Ready for `git apply`, whatever the files hold.
            output::write_bytes(&patch.bytes)?;
        }
        if patch.bytes.is_empty() {
            output::say(format!("`{}` changed nothing", self.task));
        }
        if !patch.complete {
            output::say(format!("only the first {} MiB are shown", DIFF_LIMIT >> 20));
        }
        Ok(())
    }
}
