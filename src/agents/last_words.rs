//! The words for a program that ended without saying how.

use super::shorten::with_tail;
use crate::vocabulary::{Exit, Fault};

/// How much of a program's own words goes into a fault, in characters.
const TAIL: usize = 1000;

/// The fault of `program`, which ended so and gave no result.
pub(super) fn without_result(program: &str, exit: Exit, stderr_tail: &str) -> Fault {
    let message = match exit {
        Exit::Code(code) => format!("{program} exited with status {code} and without a result"),
        Exit::Signal(signal) => format!("{program} was ended by signal {signal} and gave no result"),
    };
    Fault::new("agent_error", with_tail(message, stderr_tail, TAIL))
}
