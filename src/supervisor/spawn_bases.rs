//! Names the commit that each subtask starts from, as soon as the store wants to know it.

use std::path::PathBuf;

use tokio::sync::watch;

use super::{apart::apart, reporter::Reporter, standing::Standing};
use crate::{
    ids::TaskNumber,
    sandbox::head,
    vocabulary::{Fact, with_sources},
};

/// Does so for the sandbox in `directory` until the store refuses for good or this is dropped. A commit
/// that can't be read is not made up: the subtask waits for the end of the run and says so itself.
pub(super) async fn name_spawn_bases(
    mut standing: watch::Receiver<Standing>,
    directory: PathBuf,
    reporter: Reporter,
) {
    let mut named: Vec<TaskNumber> = Vec::new();
    loop {
        let wanted = standing.borrow_and_update().orders.as_ref().map(|orders| orders.unnamed.clone());
        let unnamed: Vec<_> =
            wanted.unwrap_or_default().into_iter().filter(|task| !named.contains(task)).collect();
        if !unnamed.is_empty() {
            let place = directory.clone();
            match apart(move || head(&place)).await {
                Ok(Ok(commit)) => {
                    for task in unnamed {
                        reporter.learned(Fact::SpawnBase { task, commit: commit.clone() });
                        named.push(task);
                    }
                }
                Ok(Err(error)) => {
                    let reason = with_sources(&error);
                    tracing::warn!(reason, ?unnamed, "where subtasks start could not be read");
                }
                Err(error) => tracing::warn!(%error, ?unnamed, "where subtasks start was not read"),
            }
        }
        if standing.changed().await.is_err() {
            return;
        }
    }
}
