//! The engine: what the store's routes share, and the one way to read and to write.

use std::{path::PathBuf, sync::Arc};

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use tracing::Span;

use super::{
    environments::Environments,
    failure::Failure,
    plan::Planning,
    record_signal::Rules,
    runs::Runs,
    scope::Scope,
    settings::{Residency, StoreSettings},
    supervisors::Supervisors,
};
use crate::{
    database::{BackupError, Database, Read, ReadError, Write},
    layout::StateDir,
    process::FaultPoints,
    protocol::error::ApiError,
};

/// What the store's routes share.
#[derive(Clone)]
pub(super) struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    database: Arc<Database>,
    state: StateDir,
    residency: Residency,
    planning: Planning,
    rules: Rules,
    scope: Scope,
    environments: Environments,
    supervisors: Supervisors,
    runs: Runs,
    /// Counts the changes, for those who follow what is told.
    changed: watch::Sender<u64>,
    /// Counts those of them that may change what somebody is to do.
    decided: watch::Sender<u64>,
    /// Wakes the loop that tends the queue.
    attention: Notify,
    stop: CancellationToken,
    faults: FaultPoints,
}

impl Engine {
    /// An engine over an open database; nothing runs before [`Engine::tend`].
    pub(super) fn new(
        database: Arc<Database>,
        state: StateDir,
        settings: StoreSettings,
        runs: Runs,
        stop: CancellationToken,
    ) -> Self {
        let residency = settings.residency;
        let planning = Planning {
            quotas: settings.quotas,
            agents: settings.agents,
            preamble: settings.preamble,
            caches: settings.caches,
            sandbox: settings.sandbox,
            patience_seconds: residency.patience().map(|patience| patience.as_secs()),
        };
        Self {
            inner: Arc::new(Inner {
                database,
                supervisors: Supervisors::new(state.clone()),
                state,
                residency,
                planning,
                rules: Rules { caps: settings.caps, agents: settings.subtask_agents },
                scope: Scope::new(residency),
                environments: Environments::new(settings.env_file),
                runs,
                changed: watch::channel(0).0,
                decided: watch::channel(0).0,
                attention: Notify::new(),
                stop,
                faults: FaultPoints::read(),
            }),
        }
    }

    pub(super) fn state(&self) -> &StateDir {
        &self.inner.state
    }

    pub(super) fn generation(&self) -> i64 {
        self.inner.database.generation()
    }

    pub(super) fn residency(&self) -> Residency {
        self.inner.residency
    }

    pub(super) fn planning(&self) -> &Planning {
        &self.inner.planning
    }

    pub(super) fn rules(&self) -> &Rules {
        &self.inner.rules
    }

    pub(super) fn scope(&self) -> &Scope {
        &self.inner.scope
    }

    pub(super) fn environments(&self) -> &Environments {
        &self.inner.environments
    }

    pub(super) fn supervisors(&self) -> &Supervisors {
        &self.inner.supervisors
    }

    pub(super) fn runs(&self) -> &Runs {
        &self.inner.runs
    }

    pub(super) fn stop(&self) -> &CancellationToken {
        &self.inner.stop
    }

    /// Where a test may kill this store.
    pub(super) fn faults(&self) -> &FaultPoints {
        &self.inner.faults
    }

    /// Sees a new number whenever something was written.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changed.subscribe()
    }

    /// Sees a new number whenever something was written that is more than an agent's words.
    pub(super) fn decisions(&self) -> watch::Receiver<u64> {
        self.inner.decided.subscribe()
    }

    /// Makes the engine look at the queue again.
    pub(super) fn call_attention(&self) {
        self.inner.attention.notify_one();
    }

    /// Ends when somebody called for attention since the last time.
    pub(super) async fn attention(&self) {
        self.inner.attention.notified().await;
    }

    /// Carries out `work` in one transaction; those who wait for a change are woken behind it.
    pub(super) async fn write<T, F>(&self, work: F) -> Result<T, ApiError>
    where
        F: FnOnce(&mut Write<'_>) -> Result<T, Failure> + Send + 'static,
        T: Send + 'static,
    {
        let done = self.write_unannounced(work).await?;
        self.announce();
        self.call_attention();
        Ok(done)
    }

    /// As [`Engine::write`], for words that an agent only has kept: no task can start by them and no
    /// supervisor's orders change, so only those who follow are woken. Whoever else looked at the rows
    /// would keep the next call waiting.
    pub(super) async fn write_words<T, F>(&self, work: F) -> Result<T, ApiError>
    where
        F: FnOnce(&mut Write<'_>) -> Result<T, Failure> + Send + 'static,
        T: Send + 'static,
    {
        let done = self.write_unannounced(work).await?;
        self.inner.changed.send_modify(|count| *count += 1);
        Ok(done)
    }

    /// As [`Engine::write`], waking nobody: for the look at the queue, which would call itself.
    pub(super) async fn write_unannounced<T, F>(&self, work: F) -> Result<T, ApiError>
    where
        F: FnOnce(&mut Write<'_>) -> Result<T, Failure> + Send + 'static,
        T: Send + 'static,
    {
        let span = Span::current();
        Ok(self.inner.database.write(move |write| span.in_scope(|| work(write))).await?)
    }

    /// Wakes those who wait for a change.
    pub(super) fn announce(&self) {
        self.inner.changed.send_modify(|count| *count += 1);
        self.inner.decided.send_modify(|count| *count += 1);
    }

    /// Saves a copy of the database to `target`; its size in bytes.
    pub(super) async fn back_up(&self, target: PathBuf) -> Result<u64, ReadError<BackupError>> {
        self.inner.database.back_up(target).await
    }

    /// Reads one consistent view.
    pub(super) async fn read<T, F>(&self, work: F) -> Result<T, ApiError>
    where
        F: FnOnce(&Read<'_>) -> Result<T, Failure> + Send + 'static,
        T: Send + 'static,
    {
        let span = Span::current();
        Ok(self.inner.database.read(move |read| span.in_scope(|| work(read))).await?)
    }
}
