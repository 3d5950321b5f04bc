//! `callbox cancel`.

use clap::Args;

use crate::{
    cli::{
        acted, context::Context, error::CliError, exit::ExitStatus, follow::until_over, opened::Opened,
        output,
    },
    ids::TaskNumber,
    protocol::operator::{ActReply, ActRequest},
};

/// Flags of `callbox cancel`.
#[derive(Debug, Args)]
pub(crate) struct Cancel {
    /// The tasks
    #[arg(value_name = "ID", required = true)]
    tasks: Vec<TaskNumber>,
}

impl Cancel {
    /// Cancels each and says what came of it; goes on behind one that is refused.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let mut store = Opened::open(context).await?;
        let request = ActRequest::default();
        let mut replies = Vec::new();
        for task in &self.tasks {
            replies.push(store.act(async |operator| operator.cancel(*task, &request).await).await);
        }
        let running: Vec<TaskNumber> = replies.iter().flatten().filter_map(ending).collect();
        for task in until_over(&store, &running).await {
            output::say(format!("{task} is still being ended; `callbox why {task}` says how it stands"));
        }
        for reply in replies.iter_mut().flatten().filter(|reply| reply.state == "running") {
            // A store that has gone meanwhile leaves what was known.
            if let Ok(report) = store.operator().task(reply.task).await {
                reply.state = report.task.state;
            }
        }
        store.close_settled().await;
        acted::answer(context, replies)
    }
}

/// The task, where its agent was still at work and is being ended.
fn ending(reply: &ActReply) -> Option<TaskNumber> {
    (reply.state == "running").then_some(reply.task)
}
