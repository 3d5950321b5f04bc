//! `callbox gc`.

use std::time::Duration;

use clap::Args;

use crate::{
    cli::{
        context::Context,
        error::CliError,
        exit::ExitStatus,
        gc::{Mode, Policy, collect},
        opened::Opened,
        output, render,
    },
    ids::{TaskNumber, Timestamp, parse_duration},
};

/// Flags of `callbox gc`.
#[derive(Debug, Args)]
pub(crate) struct Gc {
    /// Only say what would be removed
    #[arg(long)]
    dry_run: bool,
    /// How long what a task left stays behind its end [default: `gc.keep` of the configuration, else 7d]
    #[arg(long, value_name = "LENGTH", value_parser = parse_duration)]
    keep: Option<Duration>,
    /// Also remove what this ended task left, at any age and with work that stands nowhere else; repeatable
    #[arg(long, value_name = "ID")]
    drop: Vec<TaskNumber>,
}

impl Gc {
    /// Removes what tasks left that ended long enough ago, and more of it where it takes too much room.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let settings = &context.settings.gc;
        let keep = self.keep.unwrap_or(settings.keep);
        let keep_merged = settings.keep_merged.map(|merged| merged.min(keep));
        let policy = Policy {
            keep,
            max_disk: settings.max_disk,
            keep_merged,
            keep_branches: settings.merged_branches.then(|| keep_merged.unwrap_or(keep)),
            drop: self.drop,
        };
        let mode = if self.dry_run { Mode::Look } else { Mode::Remove };
        let mut store = Opened::open(context).await?;
        let collected = collect(context, &mut store, &policy, mode).await;
        store.close().await;
        let collected = collected?;
        context.answer(&collected, |collected| {
            render::collected(collected, policy.max_disk, Timestamp::now(), output::columns())
        })?;
        for reason in &collected.failed {
            output::say(crate::cli::sanitise::line(reason));
        }
        Ok(if collected.failed.is_empty() { ExitStatus::Success } else { ExitStatus::Failed })
    }
}
