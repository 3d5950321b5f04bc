//! Runs that go on behind the command that began them.

use std::{
    process::{Command, Stdio},
    time::Duration,
};

use super::{
    context::{Context, Format},
    error::{CliError, ErrorKind},
    exit::ExitStatus,
    opened::Opened,
    output, render,
};
use crate::ids::TaskNumber;

/// Leaves the trees running: to the store that stays, else to a follower of their own, which hosts a
/// store in the background for as long as they take.
pub(crate) async fn leave(
    mut store: Opened,
    roots: &[TaskNumber],
    max_wait: Duration,
    context: &Context,
) -> Result<ExitStatus, CliError> {
    let status = store.look(async |operator| operator.status().await).await;
    store.close().await;
    let names: Vec<String> = roots.iter().map(TaskNumber::to_string).collect();
    if status?.resident {
        output::say("left to the store; `callbox ls` shows how they stand");
    } else {
        let pid = start_follower(&names, max_wait, context)?;
        output::say(format!(
            "left running in the background, process {pid}; `callbox ls` shows how they stand"
        ));
    }
    output::print(match context.format {
        Format::Json => render::object(&roots)?,
        Format::Text => names.join("\n") + "\n",
    })?;
    Ok(ExitStatus::Success)
}

/// Puts this process into a session of its own, so that no terminal's end reaches it. That fails only
/// for the leader of a group, which nobody starts this way by hand.
pub(crate) fn leave_the_terminal() {
    let _ = rustix::process::setsid();
}

fn start_follower(names: &[String], max_wait: Duration, context: &Context) -> Result<u32, CliError> {
    let failed = |error| CliError::new(ErrorKind::Internal, error);
    // The path may be gone after an upgrade; this is the program that runs.
    let mut command = Command::new("/proc/self/exe");
    command.arg("--state").arg(context.state.root());
    command.args(["run", "--trees", &names.join(","), "--max-wait", &format!("{}ms", max_wait.as_millis())]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command.spawn().map_err(failed)?.id())
}
