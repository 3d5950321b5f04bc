//! `callbox reject`.

use clap::Args;

use crate::{
    cli::{
        acted, context::Context, error::CliError, exit::ExitStatus, gather, going_on::GoingOn, opened::Opened,
    },
    ids::TaskNumber,
    protocol::operator::ActRequest,
};

/// Flags of `callbox reject`.
#[derive(Debug, Args)]
pub(crate) struct Reject {
    /// The task
    #[arg(value_name = "ID")]
    task: TaskNumber,
    /// What is not good yet: the words themselves, or - for stdin
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: String,
    #[command(flatten)]
    going_on: GoingOn,
}

impl Reject {
    /// Sends the task's work back to its agent, in the same conversation.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let begun = self.going_on.begin(context)?;
        let message = Some(gather::words(&self.text)?);
        let request = ActRequest { message, environment: self.going_on.environment(context)? };
        let mut store = Opened::open(context).await?;
        let reply = store.act(async |operator| operator.reject(self.task, &request).await).await;
        let (store, reply) = store.or_close(reply).await?;
        let say = || acted::answer(context, vec![Ok(reply)]).map(drop);
        self.going_on.go_on(store, self.task, begun, context, say).await
    }
}
