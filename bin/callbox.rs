//! The `callbox` program: command line, store and supervisor.

use std::{env, process::ExitCode};

fn main() -> ExitCode {
    callbox::cli::main(env::args_os())
}
