//! How long providers that refuse for now are waited for.

use std::time::Duration;

use clap::Args;

use crate::{cli::context::Context, ids::parse_duration};

/// How long to wait for providers, as `--max-wait` says it.
#[derive(Debug, Args)]
pub(crate) struct MaxWait {
    /// How long to wait for providers that refuse for now [default: 10m; with --hermetic 0s]
    #[arg(long, value_name = "LENGTH", value_parser = parse_duration)]
    max_wait: Option<Duration>,
}

impl MaxWait {
    /// What the flag says, else what is usual.
    pub(crate) fn in_context(&self, context: &Context) -> Duration {
        self.max_wait.unwrap_or_else(|| context.mode.max_wait())
    }
}
