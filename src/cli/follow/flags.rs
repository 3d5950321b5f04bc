//! Flags of every command that follows tasks to their end.

use std::time::Duration;

use clap::Args;

use super::{
    max_wait::MaxWait,
    replies::{QuestionFlags, Replies},
};
use crate::cli::{
    context::Context,
    error::CliError,
    records::{RecordFlags, Records},
};

/// What becomes of questions, what is left of the run, and how long providers are waited for.
#[derive(Debug, Args)]
pub(crate) struct FollowFlags {
    #[command(flatten)]
    questions: QuestionFlags,
    #[command(flatten)]
    records: RecordFlags,
    #[command(flatten)]
    max_wait: MaxWait,
}

/// The same, read and opened.
#[derive(Debug)]
pub(crate) struct Manner {
    /// What becomes of questions.
    pub(crate) replies: Replies,
    /// What is left of the run.
    pub(crate) records: Records,
    /// How long providers that refuse for now are waited for.
    pub(crate) max_wait: Duration,
}

impl FollowFlags {
    /// Refuses what only somebody who follows could do, where `why` nobody does.
    pub(crate) fn refuse_unfollowed(&self, why: &str) -> Result<(), CliError> {
        let wanted = self.questions.is_given() || self.records.is_given();
        let flags =
            "`--answers`, `--on-question`, `--events`, `--junit`, `--summary`, `--report` and `--mask`";
        if wanted {
            Err(CliError::usage(format!("{flags} are for a run that is followed, and {why}")))
        } else {
            Ok(())
        }
    }

    /// Reads and opens all of it. What is wrong is refused before anything is done.
    pub(crate) fn manner(&self, context: &Context) -> Result<Manner, CliError> {
        Ok(Manner {
            replies: self.questions.replies()?,
            records: self.records.open(context)?,
            max_wait: self.max_wait.in_context(context),
        })
    }
}
