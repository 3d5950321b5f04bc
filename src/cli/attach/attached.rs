//! `callbox attached`: the step between `callbox attach` and its command.
//!
//! A death signal, so that the command does not go on unheard where `attach` was killed; then the command takes this
//! process over. It is a program of its own because a child can do this to itself without `unsafe` only after `exec`.

use std::{
    ffi::{OsStr, OsString},
    fmt::Display,
    io,
    os::unix::process::CommandExt as _,
    process::{Command, ExitCode},
};

use rustix::process::{Signal, set_parent_process_death_signal};

use crate::process::Pid;

/// The exit status of a shell for a program that it could not start.
const NOT_STARTED: u8 = 127;

/// The command line that starts `program` with `arguments` as the child of this process, bound to its life.
pub(super) fn bound(program: &OsStr, arguments: &[OsString]) -> Command {
    // The path may be gone after an upgrade; this is the program that runs.
    let mut command = Command::new("/proc/self/exe");
    command.arg0("callbox").arg("attached").arg(std::process::id().to_string());
    command.arg(program).args(arguments);
    command
}

/// Becomes the program that `arguments` (what stands behind `attached`) name; returns only if that fails.
pub fn attached(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter();
    let parent = arguments.next().and_then(|parent| parent.to_str()?.parse().ok()).and_then(Pid::new);
    let (Some(parent), Some(program)) = (parent, arguments.next()) else {
        return fail("`attached` is not to be typed: `callbox attach -- COMMAND` starts a command");
    };
    if let Err(error) = set_parent_process_death_signal(Some(Signal::TERM)) {
        return fail(io::Error::from(error));
    }
    // A parent that ended before the line above sends no signal.
    if Pid::parent() != Some(parent) {
        return fail("`callbox attach` was gone before its command was started");
    }
    let error = Command::new(&program).args(arguments).exec();
    fail(format!("`{}` could not be started: {error}", program.to_string_lossy()))
}

fn fail(reason: impl Display) -> ExitCode {
    eprintln!("error: {reason}");
    ExitCode::from(NOT_STARTED)
}
