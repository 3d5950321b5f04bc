//! Flags that say what is to be left of a run.

use std::path::PathBuf;

use clap::Args;

use super::{Mask, Records, events::Events, place::Place};
use crate::cli::{context::Context, error::CliError};

/// The variable by which GitHub's runner says where a step's summary stands.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// Files that are written, and secrets that are masked.
#[derive(Debug, Default, Args)]
pub(crate) struct RecordFlags {
    /// Write events to this file as they happen, a line of JSON each
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Write the result to this file as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the result to this file as Markdown; where $GITHUB_STEP_SUMMARY is set, it is added there too
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Write the body of a pull request to this file, as Markdown
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Mask what this variable holds in all that is printed and written; may be repeated
    #[arg(long, value_name = "NAME")]
    mask: Vec<String>,
}

impl RecordFlags {
    /// Whether any of them was given.
    pub(crate) fn is_given(&self) -> bool {
        let files = [&self.events, &self.junit, &self.summary, &self.report];
        files.into_iter().any(Option::is_some) || !self.mask.is_empty()
    }

    /// Opens what is to be written, so that nothing is queued whose result could not be left.
    pub(crate) fn open(&self, context: &Context) -> Result<Records, CliError> {
        let directory = context.surroundings.directory();
        let absolute =
            |path: &PathBuf| std::path::absolute(directory.join(path)).unwrap_or_else(|_| path.clone());
        let [events, junit, summary, report] =
            [&self.events, &self.junit, &self.summary, &self.report].map(|path| path.as_ref().map(absolute));
        let files: Vec<_> = [&events, &junit, &summary, &report].into_iter().flatten().collect();
        if files.iter().enumerate().any(|(place, file)| files[..place].contains(file)) {
            return Err(CliError::usage(
                "each file of a run needs a place of its own, and two are to be the same file",
            ));
        }
        let place = |path: Option<PathBuf>| path.map(|path| Place::open(&path)).transpose();
        let step = context.surroundings.value(STEP_SUMMARY).filter(|path| !path.is_empty());
        Ok(Records {
            mask: Mask::of(&self.mask, &context.surroundings)?,
            events: events.map(|path| Events::open(&path)).transpose()?,
            junit: place(junit)?,
            summary: place(summary)?,
            body: place(report)?,
            step_summary: step.map(|path| directory.join(path)),
        })
    }
}
