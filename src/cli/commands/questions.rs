//! `callbox questions`.

use clap::Args;

use crate::{
    cli::{context::Context, error::CliError, exit::ExitStatus, limit, opened::Opened, render},
    ids::Timestamp,
    protocol::query::{QuestionChoice, QuestionFilter},
};

/// Flags of `callbox questions`.
#[derive(Debug, Args)]
pub(crate) struct Questions {
    /// Answered and withdrawn ones too
    #[arg(long)]
    all: bool,
    /// List at most so many, 0 for all [default: 500, in JSON all]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
}

impl Questions {
    /// Prints the inbox.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let state = if self.all { QuestionChoice::All } else { QuestionChoice::Open };
        let limit = limit::of(self.limit, context.format);
        let filter = QuestionFilter { state, task: None, limit };
        let mut store = Opened::open(context).await?;
        let questions = store.look(async |operator| operator.questions(&filter).await).await;
        store.close().await;
        let questions = questions?;
        context.answer(&questions, |questions| render::questions(questions, Timestamp::now()))?;
        limit::say_reached(limit, questions.len(), "the oldest");
        Ok(ExitStatus::Success)
    }
}
