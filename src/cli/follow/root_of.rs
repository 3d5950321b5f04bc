//! Whose tree a task belongs to.

use super::tree::roots;
use crate::{
    cli::{error::CliError, opened::Opened},
    ids::TaskNumber,
    protocol::query::TaskFilter,
};

/// The root above `task`: whoever goes on with a subtask wants to see its parent go on too.
pub(crate) async fn root_of(store: &mut Opened, task: TaskNumber) -> Result<TaskNumber, CliError> {
    let lines = store.look(async |operator| operator.tasks(&TaskFilter::of_trees(&[task])).await).await?;
    Ok(roots(&lines, &[task]).first().copied().unwrap_or(task))
}
