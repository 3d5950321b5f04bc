//! What is reported of an attached command's end.

use std::{os::unix::process::ExitStatusExt as _, process::ExitStatus};

use crate::vocabulary::{AgentEnd, Ending, Exit, Fault};

/// The end of a command. Its messages were shown to the person before it began, so they are taken.
pub(crate) fn ending(status: ExitStatus) -> Ending {
    let exit = status.code().map(Exit::Code).or_else(|| status.signal().map(Exit::Signal));
    let end = if status.success() {
        AgentEnd::Finished
    } else {
        AgentEnd::Failed { fault: Fault::new("agent_error", format!("the command ended with {status}")) }
    };
    Ending { exit, turn_taken: true, ..Ending::not_begun(end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_command_that_ended_well_finished() {
        assert_eq!(ending(ExitStatus::from_raw(0)).end, AgentEnd::Finished);
        let failed = ending(ExitStatus::from_raw(3 << 8));
        assert_eq!(failed.exit, Some(Exit::Code(3)));
        assert!(matches!(failed.end, AgentEnd::Failed { .. }));
        assert_eq!(ending(ExitStatus::from_raw(9)).exit, Some(Exit::Signal(9)));
    }
}
