//! `callbox retry`.

use clap::Args;

use crate::{
    cli::{acted, context::Context, error::CliError, exit::ExitStatus, going_on::GoingOn, opened::Opened},
    ids::TaskNumber,
    protocol::operator::{RetryIn, RetryRequest},
};

/// Flags of `callbox retry`.
#[derive(Debug, Args)]
pub(crate) struct Retry {
    /// The task
    #[arg(value_name = "ID")]
    task: TaskNumber,
    /// In a new conversation and a new sandbox, from the task's own base
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    going_on: GoingOn,
}

impl Retry {
    /// Has an ended task done anew.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let begun = self.going_on.begin(context)?;
        let request = RetryRequest {
            conversation: if self.fresh { RetryIn::FreshConversation } else { RetryIn::SameConversation },
            environment: self.going_on.environment(context)?,
        };
        let mut store = Opened::open(context).await?;
        let reply = store.act(async |operator| operator.retry(self.task, &request).await).await;
        let (store, reply) = store.or_close(reply).await?;
        let say = || acted::answer(context, vec![Ok(reply)]).map(drop);
        self.going_on.go_on(store, self.task, begun, context, say).await
    }
}
