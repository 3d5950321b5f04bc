//! The engine: what the store's routes share, and the one way to read and to write.

use std::{path::PathBuf, sync::Arc, time::Duration};

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use tracing::Span;

use super::{
    environments::Environments,
    failure::Failure,
    health,
    in_force::InForce,
    plan::Planning,
    record_signal::Rules,
    runs::Runs,
    scope::Scope,
    settings::{Residency, StoreSettings},
    supervisors::Supervisors,
};
use crate::{
    database::{BackupError, Database, Read, ReadError, StorageError, StorageKind, Write, WriteError},
    ids::Timestamp,
    layout::StateDir,
    process::FaultPoints,
    protocol::error::ApiError,
    vocabulary::NotifyCommand,
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
    in_force: InForce,
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
    /// The database was found damaged.
    damaged: CancellationToken,
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
        Self {
            inner: Arc::new(Inner {
                database,
                supervisors: Supervisors::new(state.clone()),
                state,
                residency,
                in_force: InForce::new(settings),
                scope: Scope::new(residency),
                environments: Environments::default(),
                runs,
                changed: watch::channel(0).0,
                decided: watch::channel(0).0,
                attention: Notify::new(),
                stop,
                damaged: CancellationToken::new(),
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

    /// How launches are planned; to be taken once for all that is decided together.
    pub(super) fn planning(&self) -> Arc<Planning> {
        self.inner.in_force.planning()
    }

    /// What agents may do with their tools, likewise.
    pub(super) fn rules(&self) -> Arc<Rules> {
        self.inner.in_force.rules()
    }

    /// Where variables are looked up last.
    pub(super) fn env_file(&self) -> Option<PathBuf> {
        self.inner.in_force.env_file()
    }

    /// What is told what happens, where anything is.
    pub(super) fn notify_command(&self) -> Option<NotifyCommand> {
        self.inner.in_force.notify_command()
    }

    /// The pause between two removals of what ended tasks left, where they are done by a store that stays.
    pub(super) fn gc_every(&self) -> Option<Duration> {
        self.inner.in_force.gc_every()
    }

    /// Tells of each time that the settings are replaced from now on.
    pub(super) fn replacements(&self) -> watch::Receiver<u64> {
        self.inner.in_force.replacements()
    }

    /// What begins from now on is as `settings` say, and what waited may begin by them. Whether the store stays is no
    /// question of these.
    pub(super) async fn reconfigure(&self, settings: StoreSettings) {
        let residency = self.inner.residency;
        self.inner.in_force.replace(StoreSettings { residency, ..settings });
        if let Err(error) = self.begin_notifying().await {
            tracing::error!(%error, "from when on what happens is to be told could not be recorded");
        }
        let mended = self.write(|write| health::all_perhaps_mended(write, Timestamp::now())).await;
        if let Err(error) = mended {
            tracing::error!(%error, "agents that are paused could not be given another try");
            self.call_attention();
        }
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
        let done = self.inner.database.write(move |write| span.in_scope(|| work(write))).await;
        if let Err(WriteError::Refused(Failure::Storage(error)) | WriteError::Storage(error)) = &done {
            self.note_damage(error);
        }
        Ok(done?)
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
        let done = self.inner.database.read(move |read| span.in_scope(|| work(read))).await;
        if let Err(ReadError::Refused(Failure::Storage(error)) | ReadError::Storage(error)) = &done {
            self.note_damage(error);
        }
        Ok(done?)
    }

    /// Cancelled once the database was found damaged, which no further request mends.
    pub(super) fn damaged(&self) -> &CancellationToken {
        &self.inner.damaged
    }

    fn note_damage(&self, error: &StorageError) {
        if error.kind() == StorageKind::Damaged {
            self.inner.damaged.cancel();
        }
    }
}
