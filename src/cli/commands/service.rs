//! `callbox service`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::cli::{
    context::Context,
    error::{CliError, ErrorKind},
    exit::ExitStatus,
    output,
    outside_runs::outside_of_every_run,
    sanitise,
    service::{self, Removed, Replace, Unit},
};

/// What to do with the service.
#[derive(Debug, Args)]
pub(crate) struct Service {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Write the unit, and have systemd run it now and from each login on
    Install {
        /// Also in the place of a unit that callbox did not write, or that was changed since
        #[arg(long)]
        replace: bool,
        /// Only print the unit
        #[arg(long)]
        print: bool,
    },
    /// Say how the service stands, and whether its unit is still this installation's
    Status,
    /// Stop the service and remove its unit; runs go on
    Uninstall {
        /// Also a unit that callbox did not write, or that was changed since
        #[arg(long)]
        replace: bool,
    },
}

impl Service {
    /// Does it.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let file = file(context)?;
        match self.act {
            Act::Install { print: true, .. } => output::print(text(&wanted(context)?)?)?,
            Act::Install { replace, print: false } => {
                outside_of_every_run()?;
                let wanted = wanted(context)?;
                let replace = if replace { Replace::Anything } else { Replace::Own };
                service::install(&file, &text(&wanted)?, replace).await?;
                return status(context, &file, &wanted).await;
            }
            Act::Status => return status(context, &file, &wanted(context)?).await,
            Act::Uninstall { replace } => {
                outside_of_every_run()?;
                let replace = if replace { Replace::Anything } else { Replace::Own };
                context.answer(&service::uninstall(&file, replace).await?, removed)?;
            }
        }
        Ok(ExitStatus::Success)
    }
}

/// Good is only what runs, and was asked.
async fn status(context: &Context, file: &Path, wanted: &Unit) -> Result<ExitStatus, CliError> {
    let standing = service::look(context, file, wanted).await?;
    context.answer(&standing, service::words)?;
    Ok(match standing.active.as_deref() {
        None | Some("failed") => ExitStatus::Unavailable,
        Some(_) => ExitStatus::Success,
    })
}

fn removed(removed: &Removed) -> String {
    let unit = sanitise::line(&removed.unit.to_string_lossy());
    if removed.removed { format!("removed {unit}; runs go on\n") } else { format!("{unit} is not there\n") }
}

fn text(wanted: &Unit) -> Result<String, CliError> {
    wanted.text().map_err(|error| {
        CliError::new(ErrorKind::Refused, error).hinted("`callbox serve` needs no unit; start it another way")
    })
}

/// Where a unit of the person's own stands.
fn file(context: &Context) -> Result<PathBuf, CliError> {
    context
        .surroundings
        .user_units()
        .map(|folder| folder.join("callbox.service"))
        .ok_or_else(|| CliError::unavailable("no place for your units is known, because HOME is not set"))
}

/// What the unit of this installation says.
fn wanted(context: &Context) -> Result<Unit, CliError> {
    let own = std::env::current_exe().map_err(|error| CliError::new(ErrorKind::Internal, error))?;
    // Where its file was replaced while it runs, the new one is meant.
    let program =
        own.to_str().and_then(|path| path.strip_suffix(" (deleted)")).map_or(own.clone(), PathBuf::from);
    let state = context.state.root().to_owned();
    let text =
        |name: &str| context.surroundings.value(name).and_then(|value| value.to_str()).map(str::to_owned);
    let path = text("PATH").ok_or_else(|| CliError::usage("PATH is not set, or is no text"))?;
    let configuration = text("XDG_CONFIG_HOME").filter(|folder| Path::new(folder).is_absolute());
    let usual = context.surroundings.usual_state();
    let state = (usual.as_ref() != Some(&state)).then_some(state);
    Ok(Unit { program, state, path, configuration })
}
