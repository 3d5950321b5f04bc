//! The engine: turns requests and reports into transactions, and what they decided into effects.
//!
//! Effects hang on what is committed, never on who asked: after every change the engine looks at the
//! rows again and starts what is due (`tend`), so a store that restarts does the same.

use std::{sync::Arc, time::Duration};

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::{
    claim::{Claims, Launch, claim_due, launch},
    environments::Environments,
    failure::Failure,
    plan::Planning,
    record_signal::Rules,
    runs::Runs,
    scope::Scope,
    settings::{Residency, StoreSettings},
    supervisors::Supervisors,
    transition::{Occasion, apply},
};
use crate::{
    database::{Database, Read, Write, rows::execution},
    domain::{TaskEvent, TaskState},
    ids::{ExecutionNumber, Timestamp},
    layout::StateDir,
    protocol::error::ApiError,
    vocabulary::{AgentEnd, Ending, Fault},
};

/// Finish steps of one execution after which its delivery is given up.
const MAX_FINISHES: u32 = 5;

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
    /// Counts the changes, for those who wait for one.
    changed: watch::Sender<u64>,
    /// Wakes the loop that tends the queue.
    attention: Notify,
    stop: CancellationToken,
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
            max_concurrent: settings.max_concurrent,
            programs: settings.programs,
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
                attention: Notify::new(),
                stop,
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

    /// Sees a new number whenever something was written.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changed.subscribe()
    }

    /// Makes the engine look at the queue again.
    pub(super) fn call_attention(&self) {
        self.inner.attention.notify_one();
    }

    /// Carries out `work` in one transaction; those who wait for a change are woken behind it.
    pub(super) async fn write<T, F>(&self, work: F) -> Result<T, ApiError>
    where
        F: FnOnce(&mut Write<'_>) -> Result<T, Failure> + Send + 'static,
        T: Send + 'static,
    {
        let done = self.inner.database.write(work).await?;
        self.inner.changed.send_modify(|count| *count += 1);
        self.call_attention();
        Ok(done)
    }

    /// Reads one consistent view.
    pub(super) async fn read<T, F>(&self, work: F) -> Result<T, ApiError>
    where
        F: FnOnce(&Read<'_>) -> Result<T, Failure> + Send + 'static,
        T: Send + 'static,
    {
        Ok(self.inner.database.read(work).await?)
    }

    /// Starts whatever is due, whenever something changed, until the store stops.
    pub(super) async fn tend(self) {
        while !self.inner.stop.is_cancelled() {
            let wake_at = match self.look().await {
                Ok(wake_at) => wake_at,
                Err(error) => {
                    tracing::error!(%error, "the queue could not be looked at");
                    Some(Timestamp::now().plus(Duration::from_secs(1)))
                }
            };
            let delay = wake_at.map_or(Duration::from_secs(3600), |time| time.since(Timestamp::now()));
            tokio::select! {
                () = self.inner.attention.notified() => {}
                () = tokio::time::sleep(delay) => {}
                () = self.inner.stop.cancelled() => return,
            }
        }
    }

    async fn look(&self) -> Result<Option<Timestamp>, ApiError> {
        let due = self.read(has_work).await?;
        if !due {
            return Ok(None);
        }
        let (scope, planning) = (self.inner.scope.clone(), self.inner.planning.clone());
        let claims: Claims = self
            .inner
            .database
            .write(move |write| claim_due(write, |root| scope.holds(root), &planning))
            .await?;
        if !claims.launches.is_empty() {
            self.inner.changed.send_modify(|count| *count += 1);
        }
        for launch in claims.launches {
            self.start(launch).await;
        }
        self.finish_what_is_left().await?;
        Ok(claims.wake_at)
    }

    /// Executions that are to be delivered and have no supervisor get one.
    async fn finish_what_is_left(&self) -> Result<(), ApiError> {
        for run in self.read(|read| Ok(execution::alive(read)?)).await? {
            let idle = run.state == execution::ExecutionState::Delivering
                && !self.inner.supervisors.knows(run.number);
            if !idle {
                continue;
            }
            let planning = self.inner.planning.clone();
            let launch = self.write(move |write| finish(write, run.number, &planning)).await?;
            if let Some(launch) = launch {
                self.start(launch).await;
            }
        }
        Ok(())
    }

    async fn start(&self, launch: Launch) {
        let number = launch.execution;
        let environment = self.inner.environments.look_up(launch.root, &launch.variables);
        let missing = launch.required.iter().find(|name| !environment.contains_key(*name));
        let outcome = match missing {
            Some(name) => {
                Err(Fault::new("variable_missing", format!("the variable `{name}` has no value here"))
                    .hinted("set it where callbox runs, or name an `env_file` in the configuration"))
            }
            None => self.inner.supervisors.start(self, launch, environment),
        };
        if let Err(fault) = outcome {
            self.give_up(number, fault).await;
        }
    }

    /// The execution can't be started on this machine as it is.
    async fn give_up(&self, number: ExecutionNumber, fault: Fault) {
        let done = self
            .write(move |write| {
                let run = execution::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
                let event = match run.state {
                    execution::ExecutionState::Delivering => TaskEvent::DeliveryFailed { fault },
                    _ => TaskEvent::AgentEnded {
                        ending: Box::new(Ending::not_begun(AgentEnd::Unavailable { fault })),
                        reported: None,
                    },
                };
                apply(write, run.task, &event, &Occasion::own())?;
                Ok(())
            })
            .await;
        if let Err(error) = done {
            tracing::error!(%error, execution = %number, "a failed start could not be recorded");
        }
    }
}

/// Whether there is anything a look could start: the writer is not disturbed for nothing.
fn has_work(read: &Read<'_>) -> Result<bool, Failure> {
    use crate::database::rows::task;
    let queued = task::in_state(read, "queued")?;
    let queued = queued.iter().any(|row| matches!(row.state, TaskState::Queued { .. }));
    let finishing =
        execution::alive(read)?.iter().any(|run| run.state == execution::ExecutionState::Delivering);
    Ok(queued || finishing)
}

fn finish(
    write: &mut Write<'_>,
    number: ExecutionNumber,
    planning: &Planning,
) -> Result<Option<Launch>, Failure> {
    let mut run = execution::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    if run.state != execution::ExecutionState::Delivering {
        return Ok(None);
    }
    run.details.finishes += 1;
    if run.details.finishes > MAX_FINISHES {
        let fault = Fault::new("delivery", format!("the delivery was interrupted {MAX_FINISHES} times"))
            .hinted("the work is kept in its sandbox; `callbox resume` tries again");
        apply(write, run.task, &TaskEvent::DeliveryFailed { fault }, &Occasion::own())?;
        return Ok(None);
    }
    execution::save(write, &run)?;
    launch(write, number, planning).map(Some)
}
