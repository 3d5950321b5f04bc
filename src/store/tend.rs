//! Starts what is due.
//!
//! Effects hang on what is committed, never on who asked: after every change the rows are looked at
//! again, so a store that restarts does the same.

use std::time::Duration;

use super::{
    claim::{Claims, Launch, claim_due, launch},
    engine::Engine,
    failure::Failure,
    fault_point::Point,
    plan::Planning,
    transition::{Occasion, apply},
};
use crate::{
    database::{
        Read, Write,
        rows::{execution, task},
    },
    domain::{TaskEvent, TaskState},
    ids::{ExecutionNumber, Timestamp},
    protocol::error::ApiError,
    vocabulary::{AgentEnd, Ending, Fault},
};

/// Finish steps of one execution after which its delivery is given up.
const MAX_FINISHES: u32 = 5;

impl Engine {
    /// Starts whatever is due, whenever something changed, until the store stops.
    pub(super) async fn tend(self) {
        while !self.stop().is_cancelled() {
            let wake_at = match self.look().await {
                Ok(wake_at) => wake_at,
                Err(error) => {
                    tracing::error!(%error, "the queue could not be looked at");
                    Some(Timestamp::now().plus(Duration::from_secs(1)))
                }
            };
            let delay = wake_at.map_or(Duration::from_secs(3600), |time| time.since(Timestamp::now()));
            tokio::select! {
                () = self.attention() => {}
                () = tokio::time::sleep(delay) => {}
                () = self.stop().cancelled() => return,
            }
        }
    }

    async fn look(&self) -> Result<Option<Timestamp>, ApiError> {
        let next_to_close = self.close_unbound().await?;
        self.hold_to_the_day().await?;
        self.tell_of_the_day().await?;
        if !self.read(has_work).await? {
            return Ok(next_to_close);
        }
        let (scope, planning) = (self.scope().clone(), self.planning());
        let claims: Claims = self
            .write_unannounced(move |write| claim_due(write, |root| scope.holds(root), &planning))
            .await?;
        if !claims.launches.is_empty() {
            self.faults().pass(Point::Claimed);
            self.announce();
        }
        if claims.refused > 0 {
            self.announce();
            self.call_attention();
        }
        for launch in claims.launches {
            self.start(launch).await;
        }
        self.finish_what_is_left().await?;
        Ok(claims.wake_at.into_iter().chain(next_to_close).min())
    }

    /// Executions that are to be delivered and have no supervisor get one.
    async fn finish_what_is_left(&self) -> Result<(), ApiError> {
        for run in self.read(|read| Ok(execution::alive(read)?)).await? {
            let idle =
                run.state == execution::ExecutionState::Delivering && !self.supervisors().knows(run.number);
            if !idle {
                continue;
            }
            let planning = self.planning();
            let launch = self.write(move |write| finish(write, run.number, &planning)).await?;
            if let Some(launch) = launch {
                self.start(launch).await;
            }
        }
        Ok(())
    }

    async fn start(&self, launch: Launch) {
        let number = launch.execution;
        let environment =
            self.environments().look_up(launch.root, &launch.variables, self.env_file().as_deref());
        let missing = launch.required.iter().find(|name| !environment.contains_key(*name));
        let outcome = match missing {
            Some(name) => {
                Err(Fault::new("variable_missing", format!("the variable `{name}` has no value here"))
                    .hinted("set it where callbox runs, or name an `env_file` in the configuration"))
            }
            None => self.supervisors().start(self, launch, environment),
        };
        if let Err(fault) = outcome {
            self.give_up(number, fault).await;
        }
    }

    /// The execution can't be started on this machine as it is.
    async fn give_up(&self, number: ExecutionNumber, fault: Fault) {
        tracing::warn!(execution = %number, code = fault.code, reason = fault.message, "it cannot be started");
        let done = self
            .write(move |write| {
                let run = execution::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
                let task = run.task;
                let event = match run.state {
                    execution::ExecutionState::Delivering => not_finished(write, run, fault)?,
                    _ => TaskEvent::AgentEnded {
                        ending: Box::new(Ending::not_begun(AgentEnd::Unavailable { fault })),
                        reported: None,
                    },
                };
                apply(write, task, &event, &Occasion::own())?;
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
    let delivering =
        execution::alive(read)?.iter().any(|run| run.state == execution::ExecutionState::Delivering);
    Ok(delivering || task::count_in_state(read, "queued")? > 0)
}

/// What follows from a finish step that cannot be done: work that was only to be kept changes no end.
fn not_finished(
    write: &mut Write<'_>,
    mut run: execution::ExecutionRow,
    fault: Fault,
) -> Result<TaskEvent, Failure> {
    let row = task::get(write, run.task)?.ok_or_else(|| Failure::unknown(run.task))?;
    if !matches!(row.state, TaskState::Keeping { .. }) {
        return Ok(TaskEvent::DeliveryFailed { fault });
    }
    run.details.not_kept = Some(fault.message);
    execution::save(write, &run)?;
    Ok(TaskEvent::Kept)
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
            .hinted("`callbox resume` tries again");
        let task = run.task;
        let event = not_finished(write, run, fault)?;
        apply(write, task, &event, &Occasion::own())?;
        return Ok(None);
    }
    execution::save(write, &run)?;
    launch(write, number, planning).map(Some)
}
