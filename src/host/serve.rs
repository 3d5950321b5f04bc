//! `callbox serve`: a store that stays.

use std::{future::Future, path::Path, pin::pin, time::Duration};

use tokio::time::Instant;

use super::{
    connection::{HostError, HostOptions},
    service_manager,
};
use crate::store::{LockError, Store, StoreError, StoreSettings, Wait};

/// How long another store may take to end by itself before it counts as one that stays.
const PASSING: Duration = Duration::from_secs(2);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// Whoever keeps a resident store: speaks for the person, who is told and who asks.
pub trait Keeper {
    /// The store of this state directory answers.
    fn ready(&mut self, state: &Path);

    /// What is asked next. Dropping the future loses nothing.
    fn asked(&mut self) -> impl Future<Output = Asked>;

    /// The configuration as it stands now; `None` where it is wrong, which is said.
    fn configuration(&mut self) -> Option<StoreSettings>;
}

/// What a resident store does about a machine that wants to sleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sleep {
    /// Nothing.
    Allowed,
    /// It is held off while anything runs.
    HeldOff,
}

/// What a resident store is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// End.
    Stop,
    /// Read the configuration again.
    Reload,
}

/// Keeps a store resident until `keeper` has it stop or another store takes its place. The service manager, where
/// there is one, is told how it stands. Supervisors go on behind it.
pub async fn serve(
    options: &HostOptions,
    wait: Wait,
    sleep: Sleep,
    keeper: &mut impl Keeper,
) -> Result<Stopped, HostError> {
    let mut reloads = 0;
    let mut store = {
        let mut opening = pin!(open(options, wait));
        loop {
            tokio::select! {
                asked = keeper.asked() => match asked {
                    Asked::Stop => return Ok(Stopped::Asked),
                    Asked::Reload => reloads += 1,
                },
                store = &mut opening => break store?,
            }
        }
    };
    if reloads > 0 {
        reconfigure(&store, keeper).await;
    }
    if sleep == Sleep::HeldOff {
        store.keep_awake();
    }
    keeper.ready(store.state().root());
    service_manager::ready();
    let stopped = loop {
        tokio::select! {
            asked = keeper.asked() => match asked {
                Asked::Stop => break Stopped::Asked,
                Asked::Reload => {
                    service_manager::reloading();
                    reconfigure(&store, keeper).await;
                    service_manager::ready();
                }
            },
            why = store.displaced() => break Stopped::Displaced { why },
        }
    };
    service_manager::stopping();
    store.close().await;
    Ok(stopped)
}

/// Nothing changes where the configuration is wrong.
async fn reconfigure(store: &Store, keeper: &mut impl Keeper) {
    if let Some(settings) = keeper.configuration() {
        store.reconfigure(settings).await;
    }
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
