//! `callbox accept`.

use clap::Args;

use crate::{
    cli::{acted, context::Context, error::CliError, exit::ExitStatus, opened::Opened},
    ids::TaskNumber,
    protocol::operator::ActRequest,
};

/// Flags of `callbox accept`.
#[derive(Debug, Args)]
pub(crate) struct Accept {
    /// The tasks
    #[arg(value_name = "ID", required = true)]
    tasks: Vec<TaskNumber>,
}

impl Accept {
    /// Completes each task whose work waits for a review; goes on behind one that is refused.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let request = ActRequest::default();
        let mut store = Opened::open(context).await?;
        let mut replies = Vec::new();
        for task in &self.tasks {
            replies.push(store.act(async |operator| operator.accept(*task, &request).await).await);
        }
        store.close().await;
        acted::answer(context, replies)
    }
}
