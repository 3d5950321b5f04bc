//! The `callbox` program: command line, store and supervisor.

use std::{env, process::ExitCode};

use callbox::{cli, supervisor};

fn main() -> ExitCode {
    // Hidden words come before the command line: only callbox itself writes them.
    match env::args_os().nth(1).as_deref().and_then(|word| word.to_str()) {
        Some("supervise") => supervisor::main(env::args_os().skip(2)),
        Some("enter") => supervisor::enter(env::args_os().skip(2)),
        _ => cli::main(env::args_os()),
    }
}
