//! The `callbox` program: command line, store, supervisor, client of the Agent Client
//! Protocol and scripted agent.
//!
//! The hidden words stand before the command line's parser: they are no commands, and what they start
//! must not wait for it.

use std::{env, process::ExitCode};

use callbox::{acp, cli, scripted, supervisor};

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    match arguments.next() {
        Some(word) if word == "supervise" => supervisor::main(arguments),
        Some(word) if word == "enter" => supervisor::enter(arguments),
        Some(word) if word == "notify" => cli::notify(),
        Some(word) if word == "attached" => cli::attached(arguments),
        Some(word) if word == "acp" => acp::main(),
        Some(word) if word == "scripted" => scripted::main(),
        _ => cli::main(env::args_os()),
    }
}
