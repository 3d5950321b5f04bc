//! `callbox backup`.

use std::path::PathBuf;

use clap::Args;

use crate::{
    cli::{context::Context, error::CliError, exit::ExitStatus, opened::Opened, output, sanitise},
    protocol::operator::BackupRequest,
};

/// Flags of `callbox backup`.
#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The new file
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Backup {
    /// Has the store save a copy of its database.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        if self.file.as_os_str() == "-" {
            return Err(CliError::usage("a copy of the database cannot be written to standard output")
                .hinted("name a new file; one that is called `-` is `./-`"));
        }
        // The store stands elsewhere.
        let request = BackupRequest { file: context.surroundings.directory().join(self.file) };
        let mut store = Opened::open(context).await?;
        let reply = store.act(async |operator| operator.back_up(&request).await).await;
        store.close().await;
        context.answer(&reply?, |saved| sanitise::line(&saved.file.to_string_lossy()) + "\n")?;
        output::say(
            "it holds tasks, questions, answers and what agents said; sandboxes, logs and patches are not in it",
        );
        Ok(ExitStatus::Success)
    }
}
