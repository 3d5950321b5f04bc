//! `callbox init`.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use clap::Args;
use serde::Serialize;

use crate::{
    cli::{
        context::Context,
        error::{CliError, ErrorKind},
        exit::ExitStatus,
        gather, output, sanitise,
    },
    settings::{REPOSITORY_FILE, REPOSITORY_TEMPLATE},
};

/// Flags of `callbox init`.
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The git project [default: the one around the working directory]
    #[arg(short = 'C', long, value_name = "DIR")]
    project: Option<PathBuf>,
}

/// The JSON of `callbox init --json`.
#[derive(Debug, Serialize)]
struct Begun {
    /// The root of the project.
    project: PathBuf,
    /// The new file.
    file: PathBuf,
}

impl Init {
    /// Writes the template at the root of the project, where nothing has its name.
    pub(crate) fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let path = context.surroundings.directory().join(self.project.unwrap_or_default());
        let project = gather::root(&path, &gather::git(context)?)?;
        let file = project.join(REPOSITORY_FILE);
        write_new(&file).map_err(|source| not_written(&file, source))?;
        let next = "take the marks off what you want, commit it, then `callbox trust` has it count";
        context
            .answer(&Begun { project, file }, |begun| sanitise::line(&begun.file.to_string_lossy()) + "\n")?;
        output::say(next);
        Ok(ExitStatus::Success)
    }
}

/// Nothing that stands there is touched, a link included, and no half of it is left.
fn write_new(file: &Path) -> io::Result<()> {
    let mut new = OpenOptions::new().write(true).create_new(true).open(file)?;
    let written = new.write_all(REPOSITORY_TEMPLATE.as_bytes());
    if written.is_err() {
        // The first error counts.
        let _ = fs::remove_file(file);
    }
    written
}

fn not_written(file: &Path, source: io::Error) -> CliError {
    if source.kind() == io::ErrorKind::AlreadyExists {
        let there = format!("`{}` is there already and stays as it is", file.display());
        return CliError::new(ErrorKind::Refused, there).hinted("`callbox trust` shows it and has it count");
    }
    CliError::unavailable(NotWritten { file: file.to_owned(), source })
}

#[derive(Debug, thiserror::Error)]
#[error("`{}` cannot be written", file.display())]
struct NotWritten {
    file: PathBuf,
    source: io::Error,
}
