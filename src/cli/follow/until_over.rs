//! Waiting for runs that were told to end.

use std::time::Duration;

use tokio::time::timeout;

use crate::{
    cli::opened::Opened,
    client::ClientError,
    ids::TaskNumber,
    protocol::query::{Claim, EventsQuery, Trees},
};

/// A supervisor whose store was away looks again within 2 s, and the longest ladder that ends an agent
/// is well below this.
const PATIENCE: Duration = Duration::from_secs(30);

/// Keeps the store until none of `tasks` is running: a supervisor hears of a cancel only from a store
/// that is there. Those that still run when patience is over, or when the store goes away.
pub(crate) async fn until_over(store: &Opened, tasks: &[TaskNumber]) -> Vec<TaskNumber> {
    let mut running = tasks.to_vec();
    if running.is_empty() {
        return running;
    }
    // Whatever ends the wait, what is known to run still is what counts.
    let _ = timeout(PATIENCE, watch(store, &mut running)).await;
    running
}

/// Keeps the store until `task` is not running, however long its work takes to be handed over; its state
/// then.
pub(crate) async fn until_finished(store: &Opened, task: TaskNumber) -> Result<String, ClientError> {
    watch(store, &mut vec![task]).await?;
    Ok(store.operator().task(task).await?.task.state)
}

async fn watch(store: &Opened, running: &mut Vec<TaskNumber>) -> Result<(), ClientError> {
    let query = EventsQuery { tree: Trees(running.clone()), after: 0, claim: Claim::No };
    let mut events = store.operator().events(&query).await?;
    loop {
        let mut left = Vec::new();
        for task in running.iter() {
            if store.operator().task(*task).await?.task.state == "running" {
                left.push(*task);
            }
        }
        *running = left;
        if running.is_empty() || events.next().await?.is_none() {
            return Ok(());
        }
    }
}
