//! What only a person may do, of whichever state directory an agent might be.

use super::error::{CliError, ErrorKind};
use crate::process::{Bearing, Pid, ancestors};

/// Refuses a command that runs inside an execution of any state directory: what it does counts beyond this one.
pub(crate) fn outside_of_every_run() -> Result<(), CliError> {
    let line = ancestors(Pid::current()).map_err(|error| {
        CliError::new(ErrorKind::Refused, error)
            .hinted("run callbox outside of containers and where `/proc` can be read")
    })?;
    let mut execution = None;
    for process in line {
        let found = Bearing::run_of(process).map_err(CliError::unavailable)?;
        execution = execution.or(found);
    }
    let Some(execution) = execution else { return Ok(()) };
    let inside = format!("this command runs inside execution `{execution}`, and only a person may give it");
    Err(CliError::new(ErrorKind::Refused, inside).hinted(
        "an agent asks with `ask_user` and ends its turn; a person answers from a terminal of their own",
    ))
}
