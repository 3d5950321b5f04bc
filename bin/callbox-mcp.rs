//! The `callbox-mcp` program: the shim.

use std::process::ExitCode;

fn main() -> ExitCode {
    callbox::shim::run(std::env::args_os().skip(1))
}
