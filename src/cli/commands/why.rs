//! `callbox why`.

use clap::Args;

use crate::{
    cli::{context::Context, error::CliError, exit::ExitStatus, opened::Opened, sanitise},
    ids::TaskNumber,
};

/// Flags of `callbox why`.
#[derive(Debug, Args)]
pub(crate) struct Why {
    /// The task
    #[arg(value_name = "ID")]
    task: TaskNumber,
}

impl Why {
    /// Prints the store's sentence.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let mut store = Opened::open(context).await?;
        let reply = store.look(async |operator| operator.why(self.task).await).await;
        store.close().await;
        context.answer(&reply?, |reply| sanitise::text(&reply.sentence) + "\n")?;
        Ok(ExitStatus::Success)
    }
}
