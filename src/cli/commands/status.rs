//! `callbox status`.

use clap::Args;

use crate::cli::{
    context::{Context, Format},
    error::CliError,
    exit::ExitStatus,
    opened::Opened,
    output, render,
};

/// Flags of `callbox status`.
#[derive(Debug, Args)]
pub(crate) struct Status {
    /// In the text format of Prometheus, as the store's `/v1/metrics` gives it
    #[arg(long)]
    prometheus: bool,
}

impl Status {
    /// Prints how the store stands.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        if self.prometheus && context.format == Format::Json {
            return Err(CliError::usage("`--prometheus` and `--json` are two forms of one thing; name one"));
        }
        let mut store = Opened::open(context).await?;
        if self.prometheus {
            let metrics = store.look(async |operator| operator.metrics().await).await;
            store.close().await;
            output::print(metrics?)?;
        } else {
            let status = store.look(async |operator| operator.status().await).await;
            store.close().await;
            context.answer(&status?, render::status)?;
        }
        Ok(ExitStatus::Success)
    }
}
