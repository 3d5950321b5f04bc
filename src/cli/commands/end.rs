//! `callbox end`.

use clap::Args;

use crate::{
    cli::{acted, context::Context, error::CliError, exit::ExitStatus, opened::Opened},
    ids::TaskNumber,
};

/// Flags of `callbox end`.
#[derive(Debug, Args)]
pub(crate) struct End {
    /// The task
    #[arg(value_name = "ID")]
    task: TaskNumber,
}

impl End {
    /// Closes the run that `mcp-config` opened, and says what its task has come to.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let mut store = Opened::open(context).await?;
        let reply = store.act(async |operator| operator.end(self.task).await).await;
        store.close().await;
        acted::answer(context, vec![reply])
    }
}
