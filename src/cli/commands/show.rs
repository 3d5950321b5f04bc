//! `callbox show`.

use clap::Args;

use crate::{
    cli::{
        context::{Context, Format},
        error::CliError,
        exit::ExitStatus,
        opened::Opened,
        output, render,
    },
    ids::TaskNumber,
};

/// Flags of `callbox show`.
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The tasks
    #[arg(value_name = "ID", required = true)]
    tasks: Vec<TaskNumber>,
}

impl Show {
    /// Prints each task whole; all of them or, where one is not to be had, none.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let mut store = Opened::open(context).await?;
        let mut reports = Vec::new();
        for task in &self.tasks {
            reports.push(store.look(async |operator| operator.task(*task).await).await);
        }
        store.close().await;
        let reports = reports.into_iter().collect::<Result<Vec<_>, _>>()?;
        output::print(match context.format {
            Format::Json => render::array(&reports)?,
            Format::Text => {
                let show = |report| render::show(report, &context.agents);
                reports.iter().map(show).collect::<Vec<_>>().join("\n")
            }
        })?;
        Ok(ExitStatus::Success)
    }
}
