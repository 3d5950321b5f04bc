//! From the command line to the exit status.

use std::{ffi::OsString, io::Write as _, panic, process::ExitCode};

use tokio::runtime::{Builder, LocalOptions};

use crate::process::room;

use super::{
    command_line::{HELP, Wish},
    once::{self, CallError},
    serve::serve,
    talk::Talk,
};

const NOT_DONE: u8 = 1;
const USAGE: u8 = 2;

/// Runs `callbox-mcp` with the `arguments` behind its name. Exits with 0 when the client is gone or
/// the call was recorded, 1 when that failed, 2 on wrong usage.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    match Wish::read(arguments) {
        Ok(Wish::Serve(ask_as)) => {
            let talk = Talk::default();
            let panicked = talk.clone();
            // The message could hold anything, and the usual hook could block on standard error.
            panic::set_hook(Box::new(move |_| panicked.line("a fault of callbox-mcp")));
            match block_on(serve(ask_as, talk.clone())) {
                Ok(Ok(())) => ExitCode::SUCCESS,
                Ok(Err(error)) => say(&talk, &error),
                Err(error) => say(&talk, &error),
            }
        }
        Ok(Wish::Call { tool, arguments }) => match block_on(once::call(&tool, &arguments)) {
            Ok(Ok(text)) => print(&format!("{text}\n")),
            Ok(Err(CallError::Usage(reason))) => refuse(&reason),
            Ok(Err(CallError::NotRecorded(reason))) => fail(&reason),
            Err(error) => fail(&error.to_string()),
        },
        Ok(Wish::Version) => print(concat!("callbox-mcp ", env!("CARGO_PKG_VERSION"), "\n")),
        Ok(Wish::Help) => print(HELP),
        Err(error) => refuse(&error.to_string()),
    }
}

/// Runs on this thread alone. A thread that still waits for standard input is left behind. A runtime that
/// could have other threads would bring their scheduler along and, for its statistics, the system's library
/// of mathematics: 0.3 MB of every shim's memory.
fn block_on<F: Future>(future: F) -> std::io::Result<F::Output> {
    room::for_descriptors(room::RUNTIME)?;
    let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default())?;
    let output = runtime.block_on(future);
    runtime.shutdown_background();
    Ok(output)
}

fn say(talk: &Talk, error: &dyn std::error::Error) -> ExitCode {
    talk.line(&error.to_string());
    ExitCode::from(NOT_DONE)
}

fn print(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(NOT_DONE),
    }
}

fn fail(reason: &str) -> ExitCode {
    complain(reason);
    ExitCode::from(NOT_DONE)
}

/// Where nobody can read it the exit status says it alone.
fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn refuse(reason: &str) -> ExitCode {
    complain(&format!("error: {reason}\n\n{HELP}"));
    ExitCode::from(USAGE)
}
