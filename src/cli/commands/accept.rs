//! `callbox accept`.

use clap::Args;

use crate::{
    cli::{
        acted,
        context::Context,
        error::{CliError, ErrorKind},
        exit::ExitStatus,
        follow::{Waiting, until_finished},
        gather,
        opened::Opened,
        others, output, sanitise,
    },
    ids::TaskNumber,
    protocol::{
        operator::{ActReply, ActRequest},
        query::TaskFilter,
    },
};

/// Flags of `callbox accept`.
#[derive(Debug, Args)]
pub(crate) struct Accept {
    /// The tasks
    #[arg(value_name = "ID", required = true)]
    tasks: Vec<TaskNumber>,
}

impl Accept {
    /// Completes each task whose work waits for a review, and waits until what is to be merged is; goes on behind one
    /// that is refused.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let environment = gather::environment(context, &[])?;
        let request = ActRequest { environment, ..ActRequest::default() };
        let mut store = Opened::open(context).await?;
        let lines = store.look(async |operator| operator.tasks(&TaskFilter::in_state("queued")).await).await;
        let (mut store, lines) = store.or_close(lines).await?;
        let waiting = Waiting::of(&lines);
        let (mut replies, mut given_up) = (Vec::new(), Vec::new());
        for task in &self.tasks {
            let reply = store.act(async |operator| operator.accept(*task, &request).await).await;
            let reply = match reply {
                Ok(reply) if reply.state == "running" => merged(&mut store, reply).await,
                other => other,
            };
            if reply.is_ok() {
                given_up.extend(others_of(&mut store, *task).await);
            }
            replies.push(reply);
        }
        let lines = store.look(async |operator| operator.tasks(&TaskFilter::in_state("queued")).await).await;
        store.close_settled().await;
        let status = acted::answer(context, replies)?;
        given_up.into_iter().for_each(output::say);
        waiting.released(&lines?).into_iter().for_each(output::say);
        Ok(status)
    }
}

/// What became of the others, where `task` was compared with them. Its own acceptance stands, whatever comes of that.
async fn others_of(store: &mut Opened, task: TaskNumber) -> Vec<String> {
    let accepted = match store.look(async |operator| operator.task(task).await).await {
        Ok(report) => others::give_up(store, &report.task).await,
        Err(error) => Err(error),
    };
    match accepted {
        Ok(others) => others.into_iter().map(|other| other.message).collect(),
        Err(error) => {
            vec![format!("what {task} was compared with was not cancelled: {}", error.to_string().trim_end())]
        }
    }
}

/// What came of a merge that `reply` says has begun.
async fn merged(store: &mut Opened, reply: ActReply) -> Result<ActReply, CliError> {
    let task = reply.task;
    let state = until_finished(store, task).await.map_err(CliError::from)?;
    if state == "completed" {
        let message = format!("the work of {task} is accepted and merged, and the task is completed");
        return Ok(ActReply { state, message, ..reply });
    }
    let report = store.look(async |operator| operator.task(task).await).await?;
    let back = report.execution.and_then(|run| run.error);
    let (told, hint) = match (report.error, back) {
        (Some(fault), _) => (format!("the work of {task} is not merged: {}", fault.message), fault.hint),
        // Its agent is to mend it: of that the task itself is no failure.
        (None, Some(fault)) => {
            (format!("the work of {task} is not merged and goes back to its agent: {}", fault.message), None)
        }
        (None, None) => (format!("the work of {task} is not merged and goes back to its agent"), None),
    };
    let why = store.look(async |operator| operator.why(task).await).await?.sentence;
    let error = CliError::new(ErrorKind::Refused, sanitise::line(&told));
    Err(hint.into_iter().chain([why]).fold(error, |error, hint| error.hinted(sanitise::line(&hint))))
}
