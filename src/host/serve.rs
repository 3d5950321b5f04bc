//! `callbox serve`: a store that stays.

use std::{future::Future, pin::pin, time::Duration};

use tokio::time::Instant;

use super::{
    connection::{HostError, HostOptions},
    service_manager,
};
use crate::store::{LockError, Store, StoreError, Wait};

/// How long another store may take to end by itself before it counts as one that stays.
const PASSING: Duration = Duration::from_secs(2);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// Keeps a store resident until `stop` ends or another store takes its place. `ready` is told the
/// state directory once the store answers, and so is the service manager. Supervisors go on behind it.
pub async fn serve(
    options: &HostOptions,
    wait: Wait,
    ready: impl FnOnce(&std::path::Path),
    stop: impl Future<Output = ()>,
) -> Result<Stopped, HostError> {
    let mut stop = pin!(stop);
    let store = tokio::select! {
        () = &mut stop => return Ok(Stopped::Asked),
        store = open(options, wait) => store?,
    };
    ready(store.state().root());
    service_manager::ready();
    let stopped = tokio::select! {
        () = &mut stop => Stopped::Asked,
        why = store.displaced() => Stopped::Displaced { why },
    };
    service_manager::stopping();
    store.close().await;
    Ok(stopped)
}

/// Opens the store. One that a command such as `ls` hosts for an instant is no reason to refuse.
async fn open(options: &HostOptions, wait: Wait) -> Result<Store, HostError> {
    let deadline = Instant::now() + PASSING;
    loop {
        match Store::open(&options.state, options.settings.clone(), wait).await {
            Err(StoreError::Lock(LockError::HeldBy { .. })) if Instant::now() < deadline => {
                tokio::time::sleep(PAUSE).await;
            }
            opened => return Ok(opened?),
        }
    }
}

/// Why a resident store ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stopped {
    /// As the caller asked.
    Asked,
    /// The state directory was taken by another store, or files of it were removed.
    Displaced {
        /// Which, in words that follow "because".
        why: String,
    },
}
