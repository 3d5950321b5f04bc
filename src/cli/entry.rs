//! From arguments to an exit status: parse, run, print the error, say the status.

use std::{
    ffi::OsString,
    io::{self, Write as _},
    process::ExitCode,
};

use clap::Parser as _;

use super::{
    arguments::Arguments,
    command::Command,
    context::Context,
    error::{CliError, ErrorKind},
    exit::ExitStatus,
    surroundings::Surroundings,
};
use crate::{log, process::room};

/// Does what `arguments` (the program's name first) ask and tells how it went.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let status = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => run(arguments).unwrap_or_else(|error| report(&error)),
        Err(error) => {
            // `--help` and `--version` come this way too. Nobody to read them is no failure.
            let _ = error.print();
            if error.use_stderr() { ExitStatus::Usage } else { ExitStatus::Success }
        }
    };
    ExitCode::from(status.code())
}

fn run(arguments: Arguments) -> Result<ExitStatus, CliError> {
    log::begin(match arguments.command {
        Command::Serve(_) => log::Habit::Told,
        _ => log::Habit::Silent,
    });
    if arguments.global.hermetic && arguments.command.is_of_one_machine() {
        return Err(CliError::usage(
            "`--hermetic` is for jobs that leave nothing behind, and this command is there to stay",
        )
        .hinted("leave `--hermetic` out, or use `callbox run`"));
    }
    let mut context = Context::new(&arguments.global, Surroundings::of_process()?)?;
    // The doctor says what is wrong with the configuration, beside everything else that is wrong.
    if !matches!(arguments.command, Command::Doctor(_))
        && let Some(fault) = context.configuration_fault.take()
    {
        return Err(CliError::usage(fault));
    }
    // One worker beside this thread: whatever may take long is done by threads of its own, and a second
    // worker is woken for each request only to find nothing left to do.
    let not_had = |error: io::Error| CliError::lacking("this command cannot begin", error);
    room::for_descriptors(room::RUNTIME).and_then(|()| room::for_a_thread()).map_err(not_had)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(not_had)?;
    runtime.block_on(arguments.command.run(&context))
}

fn report(error: &CliError) -> ExitStatus {
    if error.kind() != ErrorKind::BrokenPipe {
        // Where stderr is gone the status says it alone.
        let _ = write!(anstream::stderr().lock(), "{error}");
    }
    error.status()
}
