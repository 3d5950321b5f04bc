//! The other tasks of a comparison of which one is taken: those that are still open are cancelled.

use serde::Serialize;

use super::{cancelling, error::CliError, opened::Opened, sanitise};
use crate::{
    ids::TaskNumber,
    protocol::{
        query::TaskFilter,
        report::{TaskHead, TaskLine},
    },
};

/// What became of one of them.
#[derive(Debug, Serialize)]
pub(crate) struct Other {
    /// It.
    pub(crate) task: TaskNumber,
    /// Its state now.
    pub(crate) state: String,
    /// The branch that it keeps.
    pub(crate) branch: Option<String>,
    /// One sentence of that.
    pub(crate) message: String,
}

/// Cancels what is open of the comparison that `taken` is part of; nothing where it is part of none. It may be done again.
pub(crate) async fn give_up(store: &mut Opened, taken: &TaskHead) -> Result<Vec<Other>, CliError> {
    let Some(comparison) = taken.comparison.clone() else { return Ok(Vec::new()) };
    let filter = TaskFilter { tag: Some(comparison.clone()), ..TaskFilter::default() };
    let lines = store.look(async |operator| operator.tasks(&filter).await).await?;
    // A tag can be anybody's.
    let is_other =
        |line: &TaskLine| line.number != taken.number && line.comparison.as_ref() == Some(&comparison);
    let others: Vec<TaskLine> = lines.into_iter().filter(is_other).collect();
    let (over, open): (Vec<TaskLine>, Vec<TaskLine>) = others.into_iter().partition(is_over);
    let numbers: Vec<TaskNumber> = open.iter().map(|line| line.number).collect();
    let replies = cancelling::cancel(store, &numbers).await;
    let mut given_up: Vec<Other> = over.into_iter().map(kept).collect();
    for (line, reply) in open.into_iter().zip(replies) {
        let (state, message) = match reply {
            Ok(reply) => (reply.state, reply.message),
            Err(error) => {
                (line.state, format!("{} is not cancelled: {}", line.number, error.to_string().trim_end()))
            }
        };
        given_up.push(Other {
            task: line.number,
            state,
            branch: line.branch,
            message: sanitise::line(&message),
        });
    }
    given_up.sort_by_key(|other| other.task);
    Ok(given_up)
}

fn is_over(line: &TaskLine) -> bool {
    !matches!(line.state.as_str(), "pending" | "queued" | "running" | "blocked" | "ready")
}

fn kept(line: TaskLine) -> Other {
    let (task, state) = (line.number, line.state);
    let message = match &line.branch {
        Some(branch) => {
            format!(
                "{task} had ended and keeps its branch {branch}: `git branch -D {branch}` in the project removes it"
            )
        }
        None => format!("{task} had ended"),
    };
    Other { task, state, branch: line.branch, message: sanitise::line(&message) }
}
