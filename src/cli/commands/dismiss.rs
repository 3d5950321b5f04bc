//! `callbox dismiss`.

use clap::Args;

use crate::{
    cli::{
        acted, asked::Asked, context::Context, error::CliError, exit::ExitStatus, follow::until_finished,
        going_on::GoingOn, opened::Opened, output, sanitise,
    },
    protocol::operator::{ActRequest, AnswerReply},
};

/// Flags of `callbox dismiss`.
#[derive(Debug, Args)]
pub(crate) struct Dismiss {
    /// A question such as q7, or a task with exactly one open question
    #[arg(value_name = "ID")]
    asked: Asked,
    #[command(flatten)]
    going_on: GoingOn,
}

impl Dismiss {
    /// Withdraws the question. Where it was the last, its task ends as its agent left it.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let begun = self.going_on.begin(context)?;
        let request =
            ActRequest { environment: self.going_on.environment(context)?, ..ActRequest::default() };
        let mut store = Opened::open(context).await?;
        let question = self.asked.question(&mut store).await;
        let (mut store, question) = store.or_close(question).await?;
        let reply = store.act(async |operator| operator.dismiss(question, &request).await).await;
        let (mut store, mut reply) = store.or_close(reply).await?;
        let say = |reply: &AnswerReply| context.answer(reply, |reply| sanitise::line(&reply.message) + "\n");
        if reply.state == "queued" || self.going_on.at_once() {
            let task = reply.task;
            return self.going_on.go_on(store, task, begun, context, || say(&reply)).await;
        }
        // The step that hands the work over ends with the store of this command.
        if store.is_hosted() && reply.state == "running" {
            reply.state = until_finished(&store, reply.task).await?;
            reply.message = format!("{} is {}", reply.task, reply.state);
        }
        let waiting: &[_] = if reply.state == "queued" { &[reply.task] } else { &[] };
        let waits = acted::waits(&mut store, waiting).await;
        let (store, waits) = store.or_close(waits).await?;
        store.close_settled().await;
        say(&reply)?;
        waits.iter().for_each(output::say);
        Ok(ExitStatus::Success)
    }
}
