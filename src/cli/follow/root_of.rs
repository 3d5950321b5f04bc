//! Whose tree a task belongs to.

use super::tree::roots;
use crate::{cli::opened::Opened, client::ClientError, ids::TaskNumber, protocol::query::TaskFilter};

/// The root above `task`: whoever goes on with a subtask wants to see its parent go on too.
pub(crate) async fn root_of(store: &Opened, task: TaskNumber) -> Result<TaskNumber, ClientError> {
    let lines = store.operator().tasks(&TaskFilter::default()).await?;
    Ok(roots(&lines, &[task]).first().copied().unwrap_or(task))
}
