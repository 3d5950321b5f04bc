//! `callbox serve`.

use clap::Args;

use crate::{
    cli::{
        context::Context,
        error::CliError,
        exit::ExitStatus,
        follow::{Signals, Told},
        hosting, output, sanitise,
    },
    host::{self, Residency, Stopped},
};

/// Flags of `callbox serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Wait for another store to end instead of refusing
    #[arg(long)]
    wait: bool,
}

impl Serve {
    /// Keeps the store until SIGINT or SIGTERM; runs go on behind it.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let mut signals = Signals::listen()?;
        let options = hosting::options(context, Residency::Resident);
        let wait = if self.wait { host::Wait::Yes } else { host::Wait::No };
        let ready = |root: &std::path::Path| {
            output::say(format!("the store of `{}` is ready; Ctrl-C stops it, runs go on", root.display()));
        };
        let stop = async {
            // A lost terminal is no reason for a store to end.
            while signals.next().await == Told::TerminalLost {}
        };
        match host::serve(&options, wait, ready, stop).await? {
            Stopped::Asked => Ok(ExitStatus::Success),
            Stopped::Displaced { why } => {
                output::say(format!("this store has stopped because {}", sanitise::line(&why)));
                Ok(ExitStatus::Unavailable)
            }
        }
    }
}
