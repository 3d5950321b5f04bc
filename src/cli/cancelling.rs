//! Giving tasks up, and staying until their agents are gone.

use super::{error::CliError, follow::until_over, opened::Opened, output};
use crate::{
    ids::TaskNumber,
    protocol::operator::{ActReply, ActRequest},
};

/// Cancels each of `tasks`, going on behind one that is refused, and waits for a while until their runs have ended.
pub(crate) async fn cancel(store: &mut Opened, tasks: &[TaskNumber]) -> Vec<Result<ActReply, CliError>> {
    let request = ActRequest::default();
    let mut replies = Vec::new();
    for task in tasks {
        replies.push(store.act(async |operator| operator.cancel(*task, &request).await).await);
    }
    let running: Vec<TaskNumber> = replies.iter().flatten().filter_map(ending).collect();
    for task in until_over(store, &running).await {
        output::say(format!("{task} is still being ended; `callbox why {task}` says how it stands"));
    }
    for reply in replies.iter_mut().flatten().filter(|reply| reply.state == "running") {
        // A store that has gone meanwhile leaves what was known.
        if let Ok(report) = store.operator().task(reply.task).await {
            reply.state = report.task.state;
        }
    }
    replies
}

/// The task, where its agent was still at work and is being ended.
fn ending(reply: &ActReply) -> Option<TaskNumber> {
    (reply.state == "running").then_some(reply.task)
}
