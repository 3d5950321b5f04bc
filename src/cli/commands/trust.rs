//! `callbox trust`.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::{
    cli::{
        context::Context,
        error::{CliError, ErrorKind},
        exit::ExitStatus,
        gather,
        opened::Opened,
        outside_runs::outside_of_every_run,
        sanitise,
    },
    settings::{REPOSITORY_FILE, read_repository},
};

/// Flags of `callbox trust`.
#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// The git project [default: the one around the working directory]
    #[arg(short = 'C', long, value_name = "DIR")]
    project: Option<PathBuf>,
}

/// The JSON of `callbox trust --json`.
#[derive(Debug, Serialize)]
struct Trusting {
    /// The root of the project.
    project: PathBuf,
    /// The commit whose file was read.
    commit: String,
    /// The text that is trusted from now on.
    text: String,
}

impl Trust {
    /// Shows the `.callbox.toml` of the commit that the project stands on, and has it count from now on.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        outside_of_every_run()?;
        as_a_person(context).await?;
        let here = context.surroundings.directory();
        let path = here.join(self.project.unwrap_or_default());
        let git = gather::git(context)?;
        let project = gather::inspected(&path, &git)?;
        let Some(text) = gather::repository_text(&git, &project, &project.head)? else {
            let none =
                format!("the commit on which `{}` stands has no `{REPOSITORY_FILE}`", project.root.display());
            return Err(CliError::new(ErrorKind::Refused, none).hinted("what counts is what is committed"));
        };
        // A text that could not be used must not be trusted either.
        read_repository(&project.root.join(REPOSITORY_FILE), &text).map_err(CliError::usage)?;
        let file = gather::trusted_file(context).ok_or_else(|| {
            CliError::unavailable("no place for your configuration is known, because HOME is not set")
        })?;
        let mut trusted = gather::trusted(&file)?;
        trusted.give(&project.root, &text);
        trusted.save(&file).map_err(CliError::unavailable)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        context.answer(&Trusting { project: project.root, commit: project.head, text }, words)?;
        Ok(ExitStatus::Success)
    }
}

/// An agent must not trust what agents wrote: the store knows who is one.
async fn as_a_person(context: &Context) -> Result<(), CliError> {
    let mut store = Opened::open(context).await?;
    let status = store.look(async |operator| operator.status().await).await;
    store.close().await;
    status.map(drop)
}

fn words(trusting: &Trusting) -> String {
    format!(
        "{}\ntrusted for {}, until it changes\n",
        sanitise::text(trusting.text.trim_end()),
        sanitise::line(&trusting.project.to_string_lossy())
    )
}
