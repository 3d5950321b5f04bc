//! What becomes of executions whose supervisor is gone: its spool is taken, what it left is ended, and
//! only then is the execution decided about.

use std::{fs, time::Duration};

use tracing::Instrument as _;

use super::{
    engine::Engine,
    failure::Failure,
    take_report::{say_unmeasured, take_report},
    transition::{Occasion, apply},
};
use crate::{
    database::{
        Write, meta,
        rows::execution::{self, ExecutionRow, ExecutionState},
    },
    domain::TaskEvent,
    ids::ExecutionNumber,
    process::{Ladder, Mark, Signal, Tree, alive, boot, end_tree},
    protocol::{error::ApiError, supervise::Report},
    vocabulary::{AgentEnd, Ending, Fault},
};

/// What an agent's processes are given to end by themselves once their supervisor is gone.
const LADDER: Ladder =
    Ladder { ask: Some((Signal::Terminate, Duration::from_millis(500))), deadline: Duration::from_secs(10) };

/// Before the store answers anyone: every execution that another store left is adopted or decided. One
/// that has ended may still have a supervisor, which has not heard of it and is to be waited for.
pub(super) async fn reconcile(engine: &Engine) -> Result<(), ApiError> {
    // Where it cannot be read nothing is known of a restart, and losses are counted.
    let boot = boot().ok();
    let before = engine.read(|read| Ok(meta::boot(read)?)).await?;
    let absence = match (&before, &boot) {
        (Some(before), Some(boot)) if before != boot => Absence::BeforeThisBoot,
        _ => Absence::BeforeThisStore,
    };
    for run in engine.read(|read| Ok(execution::unsettled(read)?)).await? {
        if alive::is_held(&engine.state().alive(run.number)).unwrap_or(true) {
            engine.supervisors().adopt(engine, run.number);
        } else {
            settle(engine, run.number, absence).await;
        }
    }
    // Behind all of it: a store that is killed before leaves it to the next one.
    match boot {
        Some(boot) if before.as_ref() != Some(&boot) => {
            engine.write(move |write| Ok(meta::note_boot(write, &boot)?)).await
        }
        _ => Ok(()),
    }
}

/// How it came that an execution has no supervisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Absence {
    /// It ended under the eyes of this store.
    Ended,
    /// So it did, and said that the machine has run out of something that it needs to begin.
    Lacked,
    /// This store found none when it opened: the one before may have been killed while starting it.
    BeforeThisStore,
    /// So it did, and the machine was started anew since: that ended everything.
    BeforeThisBoot,
}

/// Decides about `number`, which has no supervisor.
pub(super) async fn settle(engine: &Engine, number: ExecutionNumber, absence: Absence) {
    settle_one(engine, number, absence).instrument(tracing::info_span!("settle", execution = %number)).await;
}

async fn settle_one(engine: &Engine, number: ExecutionNumber, absence: Absence) {
    for report in spool(engine, number) {
        let taken = engine
            .write(move |write| take_report(write, number, &report, &Occasion::own()).map(|_| ()))
            .await;
        if let Err(error) = taken {
            tracing::warn!(%error, "a spooled report was not taken");
            break;
        }
    }
    let run = match engine.read(move |read| Ok(execution::get(read, number)?)).await {
        Ok(Some(run)) => run,
        Ok(None) => return,
        Err(error) => {
            tracing::error!(%error, "a lost execution could not be read");
            return;
        }
    };
    // A supervisor that could not end all of its tree says so and ends; what is left of that falls to this
    // process. Where that cannot be seen it is looked for.
    let left = engine.supervisors().family().adopted().map_or(true, |adopted| !adopted.is_empty());
    if run.state != ExecutionState::Ended || left {
        end_what_is_left(engine, &run).await;
    }
    let decided = engine.write(move |write| decide(write, number, absence)).await;
    match decided {
        Ok(None) => {}
        Ok(Some(became)) => tracing::warn!(became, "no end of it was reported"),
        Err(error) => tracing::error!(%error, "a lost execution could not be decided about"),
    }
}

/// What became of it in one word; `None` where its end was known or is another step's to find.
fn decide(
    write: &mut Write<'_>,
    number: ExecutionNumber,
    absence: Absence,
) -> Result<Option<&'static str>, Failure> {
    let Some(mut run) = execution::get(write, number)? else { return Ok(None) };
    execution::supervisor_gone(write, number)?;
    let (became, event) = match (run.state, absence) {
        (ExecutionState::Ended | ExecutionState::Delivering, _) => return Ok(None),
        (ExecutionState::Starting, Absence::BeforeThisStore | Absence::BeforeThisBoot) => {
            ("never started", TaskEvent::NeverStarted)
        }
        (ExecutionState::Running, Absence::BeforeThisBoot) => {
            ("ended with the machine", TaskEvent::MachineRestarted)
        }
        (ExecutionState::Starting, Absence::Lacked) => {
            let message = format!(
                "the supervisor of `{number}` could not begin: there is no room on the disk, or no open files or processes are left for it"
            );
            let fault =
                Fault::new("exhausted", message).hinted("make room and try again; what was recorded is safe");
            let ending = Box::new(Ending::not_begun(AgentEnd::Unavailable { fault }));
            ("not begun", TaskEvent::AgentEnded { ending, reported: None })
        }
        // A supervisor that ends before it has begun would do so again for ever; losses are counted.
        (ExecutionState::Starting, Absence::Ended) | (ExecutionState::Running, _) => {
            ("lost", TaskEvent::Lost { turn_taken: run.turn_taken })
        }
    };
    if run.turn_taken {
        // Of a program that names its costs only with its result nothing was heard.
        say_unmeasured(write, &mut run, &Occasion::own())?;
        execution::save(write, &run)?;
    }
    apply(write, run.task, &event, &Occasion::own())?;
    Ok(Some(became))
}

/// A torn last line was never acknowledged to anyone.
fn spool(engine: &Engine, number: ExecutionNumber) -> Vec<Report> {
    let text = fs::read_to_string(engine.state().spool(number)).unwrap_or_default();
    text.lines().map_while(|line| serde_json::from_str(line).ok()).collect()
}

async fn end_what_is_left(engine: &Engine, run: &ExecutionRow) {
    let folder = engine.state().execution(run.number);
    let sandbox = run.sandbox.as_ref().map_or_else(|| folder.clone(), |path| engine.state().resolve(path));
    let socket = engine.state().agent_socket();
    let mark = Mark { execution: run.number, tmpdir: folder, sandbox, socket };
    let tree = Tree::Left { mark: &mark, family: engine.supervisors().family() };
    if let Err(error) = end_tree(tree, LADDER).await {
        tracing::error!(%error, "processes of a lost execution are left");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        domain::{End, TaskState},
        store::fixture::Fixture,
    };

    #[tokio::test]
    async fn a_start_that_the_end_of_a_store_interrupted_is_given_back_and_not_counted() {
        let fixture = Fixture::new().await;
        reconcile(&fixture.engine).await.unwrap();
        let row = fixture.task_row().await;
        assert_eq!((row.state.name(), row.losses, row.failures), ("queued", 0, 0));
        let number = fixture.execution;
        let run = fixture.engine.read(move |read| Ok(execution::get(read, number)?)).await.unwrap();
        assert_eq!(run, None);
    }

    #[tokio::test]
    async fn a_supervisor_that_has_not_heard_of_the_end_of_its_execution_is_still_waited_for() {
        let fixture = Fixture::new().await;
        let number = fixture.execution;
        fs::create_dir_all(fixture.engine.state().execution(number)).unwrap();
        let held = alive::hold(&fixture.engine.state().alive(number)).unwrap();
        let end = move |write: &mut Write<'_>| {
            execution::supervisor_given(write, number)?;
            let mut run = execution::get(write, number)?.unwrap();
            run.state = ExecutionState::Ended;
            Ok(execution::save(write, &run)?)
        };
        fixture.engine.write(end).await.unwrap();
        reconcile(&fixture.engine).await.unwrap();
        assert!(fixture.engine.supervisors().knows(number));
        let mut known = fixture.engine.supervisors().watch();
        drop(held);
        known.wait_for(|known| !known.contains(&number)).await.unwrap();
        reconcile(&fixture.engine).await.unwrap();
        assert!(fixture.engine.read(|read| Ok(execution::unsettled(read)?)).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_supervisor_that_had_no_room_to_begin_is_no_loss_and_says_so() {
        let fixture = Fixture::new().await;
        settle(&fixture.engine, fixture.execution, Absence::Lacked).await;
        let row = fixture.task_row().await;
        assert_eq!((row.state.name(), row.losses), ("failed", 0));
        let TaskState::Ended { end: End::Failed { fault } } = row.state else { panic!("{:?}", row.state) };
        assert_eq!(fault.code, "exhausted");
    }

    #[tokio::test]
    async fn a_supervisor_that_ends_before_it_began_is_a_loss_and_never_a_success() {
        let fixture = Fixture::new().await;
        settle(&fixture.engine, fixture.execution, Absence::Ended).await;
        let row = fixture.task_row().await;
        assert_eq!((row.state.name(), row.losses), ("queued", 1));
    }
}
