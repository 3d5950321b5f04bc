//! `callbox answer`.

use clap::Args;

use crate::{
    cli::{
        asked::{Asked, task_of},
        context::Context,
        elsewhere::Elsewhere,
        error::CliError,
        exit::ExitStatus,
        gather,
        going_on::GoingOn,
        opened::Opened,
        sanitise,
    },
    ids::QuestionNumber,
    protocol::operator::{AnswerRequest, AnswerText},
};

/// Flags of `callbox answer`.
#[derive(Debug, Args)]
pub(crate) struct Answer {
    /// A question such as q7, or a task with exactly one open question
    #[arg(value_name = "ID")]
    asked: Asked,
    /// The answer: the words themselves, or - for stdin. Never a secret: answers are stored
    #[arg(value_name = "TEXT", allow_hyphen_values = true, required_unless_present = "option")]
    text: Option<String>,
    /// The answer at this place among the options, from 1
    #[arg(long, value_name = "N", conflicts_with = "text")]
    option: Option<usize>,
    #[command(flatten)]
    elsewhere: Elsewhere,
    #[command(flatten)]
    going_on: GoingOn,
}

impl Answer {
    /// Answers the question; with `--run` its task goes on here.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let begun = self.going_on.begin(context)?;
        let request =
            AnswerRequest { answer: self.words()?, environment: self.going_on.environment(context)? };
        let mut store = Opened::open(context).await?;
        let question = self.asked.question(&mut store).await;
        let (mut store, question) = store.or_close(question).await?;
        if self.elsewhere.is_named() {
            let settled = self.settle(context, &mut store, question).await;
            (store, ()) = store.or_close(settled).await?;
        }
        let reply = store.act(async |operator| operator.answer(question, &request).await).await;
        let (store, reply) = store.or_close(reply).await?;
        let say = || context.answer(&reply, |reply| sanitise::line(&reply.message) + "\n");
        self.going_on.go_on(store, reply.task, begun, context, say).await
    }

    async fn settle(
        &self,
        context: &Context,
        store: &mut Opened,
        question: QuestionNumber,
    ) -> Result<(), CliError> {
        let task = task_of(question, store).await?;
        self.elsewhere.settle(context, store, task).await
    }

    fn words(&self) -> Result<AnswerText, CliError> {
        match (self.option, &self.text) {
            (Some(place), _) => Ok(AnswerText::Option(place)),
            (None, Some(text)) => Ok(AnswerText::Text(gather::words(text)?)),
            (None, None) => Err(CliError::usage("there is no answer").hinted("give one, or `--option N`")),
        }
    }
}
