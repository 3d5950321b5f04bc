//! `callbox start`.

use clap::Args;

use crate::{
    cli::{acted, context::Context, error::CliError, exit::ExitStatus, gather, opened::Opened, output},
    ids::TaskNumber,
    protocol::operator::ActRequest,
};

/// Flags of `callbox start`.
#[derive(Debug, Args)]
pub(crate) struct Start {
    /// The tasks
    #[arg(value_name = "ID", required = true)]
    tasks: Vec<TaskNumber>,
}

impl Start {
    /// Lets each run that was held back; goes on behind one that is refused.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let environment = gather::environment(context, &[])?;
        let request = ActRequest { environment, ..ActRequest::default() };
        let mut store = Opened::open(context).await?;
        let mut replies = Vec::new();
        for task in &self.tasks {
            replies.push(store.act(async |operator| operator.start(*task, &request).await).await);
        }
        let started: Vec<_> = replies.iter().flatten().map(|reply| reply.task).collect();
        let waits = acted::waits(&mut store, &started).await;
        let (store, waits) = store.or_close(waits).await?;
        store.close().await;
        let status = acted::answer(context, replies)?;
        waits.iter().for_each(output::say);
        Ok(status)
    }
}
