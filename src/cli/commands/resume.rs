//! `callbox resume`.

use clap::Args;

use crate::{
    cli::{
        acted, budget_flags::BudgetFlags, context::Context, elsewhere::Elsewhere, error::CliError,
        exit::ExitStatus, gather, going_on::GoingOn, opened::Opened,
    },
    ids::TaskNumber,
    protocol::operator::ResumeRequest,
};

/// Flags of `callbox resume`.
#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// The task
    #[arg(value_name = "ID")]
    task: TaskNumber,
    /// What to say to the agent: the words themselves, or - for stdin
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: Option<String>,
    #[command(flatten)]
    budget: BudgetFlags,
    #[command(flatten)]
    elsewhere: Elsewhere,
    #[command(flatten)]
    going_on: GoingOn,
}

impl Resume {
    /// Takes the task up again in the same conversation.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let begun = self.going_on.begin(context)?;
        let message = self.text.as_deref().map(gather::words).transpose()?;
        let budget = self.budget.budget()?;
        let request = ResumeRequest { message, budget, environment: self.going_on.environment(context)? };
        let mut store = Opened::open(context).await?;
        let settled = self.elsewhere.settle(context, &mut store, self.task).await;
        let (mut store, ()) = store.or_close(settled).await?;
        let reply = store.act(async |operator| operator.resume(self.task, &request).await).await;
        let (store, reply) = store.or_close(reply).await?;
        let say = || acted::answer(context, vec![Ok(reply)]).map(drop);
        self.going_on.go_on(store, self.task, begun, context, say).await
    }
}
