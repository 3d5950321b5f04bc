//! `callbox questions`.

use clap::Args;

use crate::{
    cli::{context::Context, error::CliError, exit::ExitStatus, opened::Opened, render},
    ids::Timestamp,
    protocol::query::QuestionChoice,
};

/// Flags of `callbox questions`.
#[derive(Debug, Args)]
pub(crate) struct Questions {
    /// Answered and withdrawn ones too
    #[arg(long)]
    all: bool,
}

impl Questions {
    /// Prints the inbox.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let choice = if self.all { QuestionChoice::All } else { QuestionChoice::Open };
        let mut store = Opened::open(context).await?;
        let questions = store.look(async |operator| operator.questions(choice).await).await;
        store.close().await;
        context.answer(&questions?, |questions| render::questions(questions, Timestamp::now()))?;
        Ok(ExitStatus::Success)
    }
}
