//! `callbox serve`: a store that stays.

use std::future::Future;

use super::connection::{HostError, HostOptions};
use crate::store::{Store, Wait};

/// Keeps a store resident until `stop` ends or another store takes its place. `ready` is told the
/// state directory once the store answers. Supervisors go on behind it.
pub async fn serve(
    options: &HostOptions,
    wait: Wait,
    ready: impl FnOnce(&std::path::Path),
    stop: impl Future<Output = ()>,
) -> Result<Stopped, HostError> {
    let store = Store::open(&options.state, options.settings.clone(), wait).await?;
    ready(store.state().root());
    let stopped = tokio::select! {
        () = stop => Stopped::Asked,
        () = store.displaced() => Stopped::Displaced,
    };
    store.close().await;
    Ok(stopped)
}

/// Why a resident store ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// As the caller asked.
    Asked,
    /// The state directory was taken by another store, or its lock file was removed.
    Displaced,
}
