//! `callbox watch`.

use clap::Args;

use crate::cli::{context::Context, error::CliError, exit::ExitStatus, watch};

/// Flags of `callbox watch`.
#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// Ended tasks too, however long ago
    #[arg(long)]
    all: bool,
}

impl Watch {
    /// Follows until Ctrl-C.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let shown = if self.all { watch::Shown::All } else { watch::Shown::Current };
        watch::watch(context, shown).await?;
        Ok(ExitStatus::Success)
    }
}
