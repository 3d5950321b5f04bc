//! `callbox enter`: the step between a supervisor's child and the agent program.
//!
//! A session of its own, so that no terminal and no signal for the supervisor's group reaches it; a
//! death signal, so that the agent doesn't outlive a killed supervisor unnoticed; the rules of its
//! isolation; then the program takes this process over. It is a program of its own because a child can
//! do this to itself without `unsafe` only after `exec`.

use std::{
    ffi::OsString,
    io,
    os::unix::process::CommandExt as _,
    process::{Command, ExitCode},
};

use rustix::{
    fs::Mode,
    process::{Signal, nice, set_parent_process_death_signal, setsid, umask},
};

use super::arguments::{Enter, UsageError};
use crate::{
    isolation::{Fence, FenceError},
    process::Pid,
};

/// How far an agent steps back behind what the person does on the same machine.
const NICENESS: i32 = 5;

/// The exit status of `env` and `nice` for a program that was not found, and for one that was found
/// and could not be started.
const NOT_FOUND: u8 = 127;
const NOT_STARTED: u8 = 126;
/// The exit status when this was not even begun.
pub(super) const NOT_ENTERED: u8 = 125;
/// What it says then where the agent could not be held to its places.
pub(super) const NOT_ISOLATED: &str = "the agent could not be isolated, and is not started without";
/// What its words begin with.
pub(super) const SAID_BY: &str = "callbox: ";

#[derive(Debug, thiserror::Error)]
enum EnterError {
    #[error(transparent)]
    Usage(#[from] UsageError),
    #[error("the supervisor was gone before the agent was started")]
    Orphaned,
    #[error("the session of the agent could not be opened: {0}")]
    Session(io::Error),
    #[error("{NOT_ISOLATED}: {0}")]
    Isolation(#[from] FenceError),
    #[error("`{}` could not be started: {source}", program.display())]
    Start { program: OsString, source: io::Error },
}

/// Becomes the program that `arguments` (what stands behind `enter`) name; returns only if that fails.
pub fn enter(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let error = become_agent(arguments);
    eprintln!("{SAID_BY}{error}");
    ExitCode::from(match error {
        EnterError::Start { source, .. } if source.kind() == io::ErrorKind::NotFound => NOT_FOUND,
        EnterError::Start { .. } => NOT_STARTED,
        _ => NOT_ENTERED,
    })
}

fn become_agent(arguments: impl IntoIterator<Item = OsString>) -> EnterError {
    let given = match Enter::read(arguments) {
        Ok(given) => given,
        Err(error) => return error.into(),
    };
    if let Err(error) = setsid() {
        return EnterError::Session(error.into());
    }
    if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return EnterError::Session(error.into());
    }
    // A parent that ended before the line above sends no signal.
    if Pid::parent() != Some(given.parent) {
        return EnterError::Orphaned;
    }
    // Refused where the limit is reached already, and no reason not to run.
    let _ = nice(NICENESS);
    umask(Mode::from_raw_mode(given.umask));
    // Last, so that nothing above is held back by it.
    if let Some(Err(error)) = given.fence.as_ref().map(Fence::close) {
        return error.into();
    }
    let source = Command::new(&given.program).args(&given.arguments).exec();
    EnterError::Start { program: given.program, source }
}
