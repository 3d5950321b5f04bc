//! `callbox cancel`.

use clap::Args;

use crate::{
    cli::{acted, context::Context, error::CliError, exit::ExitStatus, opened::Opened},
    ids::TaskNumber,
    protocol::operator::ActRequest,
};

/// Flags of `callbox cancel`.
#[derive(Debug, Args)]
pub(crate) struct Cancel {
    /// The tasks
    #[arg(value_name = "ID", required = true)]
    tasks: Vec<TaskNumber>,
}

impl Cancel {
    /// Cancels each and says what came of it; goes on behind one that is refused.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let mut store = Opened::open(context).await?;
        let request = ActRequest::default();
        let mut replies = Vec::new();
        for task in &self.tasks {
            replies.push(store.act(async |operator| operator.cancel(*task, &request).await).await);
        }
        store.close().await;
        acted::answer(context, replies)
    }
}
