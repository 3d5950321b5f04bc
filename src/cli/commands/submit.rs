//! `callbox submit`.

use clap::Args;

use crate::{
    cli::{
        context::{Context, Format},
        error::CliError,
        exit::ExitStatus,
        gather,
        opened::Opened,
        output, render,
        source_flags::SourceFlags,
    },
    protocol::operator::Hold,
};

/// Flags of `callbox submit`.
#[derive(Debug, Args)]
pub(crate) struct Submit {
    /// Hold the tasks back until `callbox start`
    #[arg(long)]
    hold: bool,
    /// What to submit.
    #[command(flatten)]
    source: SourceFlags,
}

impl Submit {
    /// Queues the tasks, all or none, and prints their numbers.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let hold = if self.hold { Hold::Yes } else { Hold::No };
        let order = gather::order(&self.source, hold, context)?;
        for note in &order.notes {
            output::say(note);
        }
        let mut store = Opened::open(context).await?;
        let reply = store.act(async |operator| operator.submit(&order.request).await).await;
        store.close().await;
        let reply = reply?;
        order.told(&reply.tasks).into_iter().for_each(output::say);
        output::print(match context.format {
            Format::Json => render::object(&reply)?,
            Format::Text => reply.tasks.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n") + "\n",
        })?;
        if !reply.resident && !self.hold {
            output::say(
                "no store stays to run this: `callbox run --queued` does, and so does `callbox serve`",
            );
        }
        Ok(ExitStatus::Success)
    }
}
