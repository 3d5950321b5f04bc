//! `callbox tell`.

use clap::Args;

use crate::{
    cli::{
        acted, context::Context, error::CliError, exit::ExitStatus, follow::until_over, gather,
        opened::Opened, output,
    },
    ids::TaskNumber,
    protocol::operator::{TellRequest, TellWhen},
};

/// Flags of `callbox tell`.
#[derive(Debug, Args)]
pub(crate) struct Tell {
    /// The task
    #[arg(value_name = "ID")]
    task: TaskNumber,
    /// What to say to the agent: the words themselves, or - for stdin. Never a secret: messages are stored
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: String,
    /// End the agent's turn, so that it goes on with the message at once
    #[arg(long)]
    now: bool,
}

impl Tell {
    /// Says it, and how it will be heard.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let request = TellRequest {
            message: gather::words(&self.text)?,
            when: if self.now { TellWhen::Now } else { TellWhen::NextChance },
            environment: gather::environment(context, &[])?,
        };
        let mut store = Opened::open(context).await?;
        let reply = store.act(async |operator| operator.tell(self.task, &request).await).await;
        let (mut store, reply) = store.or_close(reply).await?;
        // Where there is no other store, the supervisor hears of it from this one.
        if self.now && store.is_hosted() && reply.state == "running" {
            for task in until_over(&store, &[self.task]).await {
                output::say(format!("{task} still runs; `callbox why {task}` says how it stands"));
            }
        }
        let waits = acted::waits(&mut store, &[self.task]).await;
        let (store, waits) = store.or_close(waits).await?;
        store.close_settled().await;
        acted::answer(context, vec![Ok(reply)])?;
        waits.iter().for_each(output::say);
        Ok(ExitStatus::Success)
    }
}
