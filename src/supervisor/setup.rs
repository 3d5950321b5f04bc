//! The command that sets a new sandbox up, once, before any agent works there.
//!
//! That it has passed is remembered beside the sandbox: where it failed or was cut off, the next run repeats it.
//! New files that it leaves are ignored in the sandbox from then on, however it ended: they are no work of the
//! agent's.

use std::{fs, path::Path};

use super::{
    apart::apart,
    ending::fault,
    held_command::{Commanded, Order, run_command},
    output::Output,
    surroundings::Surroundings,
    watch::Cause,
    workplace::{GitSetup, Place},
};
use crate::{
    sandbox::{keep_out, set_up_mark},
    vocabulary::{AgentEnd, Fact, Fault, Verified},
};

/// Lines of what the command wrote that a fault repeats.
const LINES: usize = 5;

/// Why the sandbox is not set up.
#[derive(Debug)]
pub(super) enum NotSetUp {
    /// The run is to end for this reason.
    Ended(Cause),
    /// The command failed, or could not be run.
    Failed(Fault),
}

/// Sets the sandbox in `place` up, unless that was done or is not wanted.
pub(super) async fn set_up(
    surroundings: &mut Surroundings<'_>,
    output: &mut Output,
    place: &Place,
) -> Result<(), NotSetUp> {
    let execution = surroundings.execution;
    let mark = set_up_mark(&place.directory);
    let Some(plan) = execution.plan.setup.as_ref().filter(|_| !mark.exists()) else { return Ok(()) };
    surroundings.reporter.learned(Fact::Activity { text: format!("setup: {}", plan.command) });
    let log = execution.state.setup_log(execution.plan.execution);
    let commanded = run_command(surroundings, &Order { field: "setup", plan, log, begun: None }).await;
    let (git, directory, base) = (GitSetup::of(execution), place.directory.clone(), place.base.clone());
    let ignored = apart(move || ignore(&git, &directory, base.as_deref())).await;
    let came = match commanded.map_err(NotSetUp::Failed)? {
        Commanded::Ran(came) => came,
        Commanded::Ended(cause) => return Err(NotSetUp::Ended(cause)),
        Commanded::Outgrew(fault) => {
            return Err(NotSetUp::Ended(Cause::Hopeless(AgentEnd::Unavailable { fault })));
        }
    };
    output.say(&format!("[callbox: setup: {}]\n{}", came.command, came.tail.trim_end()));
    if let Some(fault) = failure(&came) {
        return Err(NotSetUp::Failed(fault));
    }
    let failed = |error| Err(Fault::of_system("what `setup` left could not be noted", &error));
    ignored.unwrap_or_else(failed).map_err(NotSetUp::Failed)?;
    fs::write(mark, "").or_else(failed).map_err(NotSetUp::Failed)
}

/// Has git ignore what the command left.
fn ignore(git: &GitSetup, directory: &Path, base: Option<&str>) -> Result<(), Fault> {
    let Some(base) = base else { return Ok(()) };
    let git = git.git().map_err(|error| fault("setup", &error, None))?;
    keep_out(&git, directory, base).map_err(|error| fault("setup", &error, None))
}

/// What is wrong; `None` only where the command returned 0 by itself.
fn failure(came: &Verified) -> Option<Fault> {
    let how = came.how_it_failed()?;
    let lines: Vec<&str> = came.tail.trim_end().lines().collect();
    let last = lines[lines.len().saturating_sub(LINES)..].join("\n");
    let message = format!("the sandbox could not be set up: `{}` {how}", came.command);
    let message = if last.is_empty() { message } else { format!("{message}\n{last}") };
    Some(
        Fault::new("setup", message)
            .hinted("`callbox logs` shows more of it; `callbox resume` runs it again"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Exit;

    #[test]
    fn only_a_command_that_returned_0_by_itself_has_set_anything_up() {
        let came = |exit, tail: &str| {
            let (command, tail) = ("npm ci".to_owned(), tail.to_owned());
            failure(&Verified { command, exit, tail, limit_seconds: None })
        };
        assert_eq!(came(Exit::Code(0), "noise"), None);
        let fault = came(Exit::Code(7), "1\n2\n3\n4\n5\n6\n").unwrap();
        assert_eq!(fault.code, "setup");
        let message = "the sandbox could not be set up: `npm ci` failed with exit status 7\n2\n3\n4\n5\n6";
        assert_eq!(fault.message, message);
    }
}
