//! A run in the foreground: progress on stderr, the result on stdout, the status for the shell.

use super::{
    follower::{Followed, Following, follow},
    signals::Signals,
};
use crate::cli::{
    context::{Context, Format},
    error::CliError,
    exit::ExitStatus,
    opened::Opened,
    output,
    records::Quiet,
    render,
    verdict::verdict,
};

/// Follows the trees to their end and prints what came of each.
pub(crate) async fn to_the_end(
    store: Opened,
    mut following: Following,
    signals: &mut Signals,
    context: &Context,
) -> Result<ExitStatus, CliError> {
    let mut quiet = Quiet::begin("callbox", &context.surroundings);
    let Followed { reports, released } = follow(store, &mut following, signals, context).await?;
    quiet.end_group();
    output::print(match context.format {
        Format::Json => render::array(&reports.iter().map(render::run_report).collect::<Vec<_>>())?,
        Format::Text => {
            let ending = |report| render::ending(report, &context.agents);
            reports.iter().map(ending).collect::<Vec<_>>().join("\n")
        }
    })?;
    released.into_iter().for_each(output::say);
    following.manner.records.end(&reports)?;
    Ok(ExitStatus::worst(reports.iter().map(verdict)))
}
