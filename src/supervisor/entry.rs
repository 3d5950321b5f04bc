//! `callbox supervise`: from a bare process to one that supervises.

use std::{ffi::OsString, process::ExitCode, sync::Arc};

use rustix::{
    fs::Mode,
    process::{setsid, umask},
};

use super::{
    arguments::Supervise,
    execution::{Execution, LaunchError},
    run::run,
    spool::Spool,
};
use crate::{
    client::{ClientError, SupervisorClient, Transport},
    log,
    process::{
        alive::{HoldError, hold},
        room, subreaper,
    },
    protocol::launch::EXIT_LACKING,
    vocabulary::{Shortage, with_sources},
};

#[derive(Debug, thiserror::Error)]
enum SuperviseError {
    #[error("the run cannot begin")]
    Launch(#[from] LaunchError),
    #[error("this execution is not ours to supervise")]
    Held(#[from] HoldError),
    #[error("the way to the store cannot be set up")]
    Client(#[from] ClientError),
    #[error("the system refuses what a supervisor needs")]
    System(#[from] std::io::Error),
}

/// Supervises the execution that `arguments` (what stands behind `supervise`) name. Standard output
/// and error are a log file by then; standard input holds the secrets.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    log::begin(log::Habit::Told);
    let given = match Supervise::read(arguments) {
        Ok(given) => given,
        Err(error) => {
            tracing::error!(reason = with_sources(&error), "this supervisor was started wrongly");
            return ExitCode::from(2);
        }
    };
    // All that this process does is for the one execution: entered here, on the thread that runs everything, the
    // span is around every line.
    let _within = tracing::info_span!("supervisor", execution = %given.execution).entered();
    match supervise(&given) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(reason = with_sources(&error), "this supervisor gives up");
            ExitCode::from(match error {
                error if Shortage::behind(&error).is_some() => EXIT_LACKING,
                _ => 1,
            })
        }
    }
}

fn supervise(given: &Supervise) -> Result<(), SuperviseError> {
    // No terminal's signals; refused where whoever started this did it already.
    let _ = setsid();
    let agents_umask = umask(Mode::RWXG | Mode::RWXO).as_raw_mode();
    let (execution, secret) = Execution::read(given, agents_umask)?;
    let held = Arc::new(hold(&execution.state.alive(given.execution))?);
    subreaper::become_one()?;
    let client = SupervisorClient::new(Transport::new(&execution.state.store_socket())?, secret);
    let spool = Spool::open(&execution.state.spool(given.execution), execution.plan.reports)?;
    room::for_descriptors(room::RUNTIME)?;
    // One thread: the agent's death signal is bound to the thread that starts it, and this one lives
    // as long as the process.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(run(&execution, client, spool, &held));
    // What still runs on other threads (a git that was given up) must not hold this process.
    runtime.shutdown_background();
    Ok(result?)
}
