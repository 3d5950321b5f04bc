//! `callbox resume`.

use std::time::Duration;

use clap::Args;

use crate::{
    cli::{
        acted,
        context::Context,
        error::CliError,
        exit::ExitStatus,
        follow::{self, Following, Signals},
        gather,
        opened::Opened,
        output,
    },
    ids::{TaskNumber, Timestamp, parse_duration},
    protocol::operator::ActRequest,
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
    /// Go on at once, in the foreground
    #[arg(long)]
    run: bool,
    /// A variable of this environment for the agent, never stored; may be repeated
    #[arg(long, value_name = "NAME")]
    env: Vec<String>,
    /// With --run: how long to wait for providers that refuse for now
    #[arg(long, value_name = "LENGTH", default_value = "10m", value_parser = parse_duration)]
    max_wait: Duration,
}

impl Resume {
    /// Takes the task up again in the same conversation.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let since = Timestamp::now();
        let message = self.text.as_deref().map(gather::words).transpose()?;
        let environment = gather::environment(&context.surroundings, &self.env)?;
        let mut signals = Signals::listen()?;
        let mut store = Opened::open(context).await?;
        let request = ActRequest { message, environment };
        let reply = store.act(async |operator| operator.resume(self.task, &request).await).await;
        let (mut store, reply) = store.or_close(reply).await?;
        if self.run {
            let root = follow::root_of(&mut store, reply.task).await;
            let (store, root) = store.or_close(root).await?;
            let following = Following { roots: vec![root], since, max_wait: self.max_wait };
            return follow::to_the_end(store, &following, &mut signals, context).await;
        }
        let waits = acted::waits(&mut store, &[reply.task]).await;
        let (store, waits) = store.or_close(waits).await?;
        store.close().await;
        let status = acted::answer(context, vec![Ok(reply)])?;
        waits.iter().for_each(output::say);
        Ok(status)
    }
}
