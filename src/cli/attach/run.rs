//! The attached command, from its start to the report of its end.

use std::{os::unix::process::ExitStatusExt as _, process::ExitStatus};

use tokio::process::{Child, Command};

use super::{
    attached::bound, configuration::Configuration, ending::ending, fault_point::Point, prepared::Prepared,
    reports::Reports,
};
use crate::{
    cli::{
        context::Context,
        error::{CliError, ErrorKind},
        follow::{Signals, Told},
        output, sanitise,
    },
    process::{FaultPoints, Pid, Process, Signal, alive, signal},
    protocol::{operator::AttachReply, supervise::ReportBody},
    vocabulary::{EXECUTION_VARIABLE, Fact, SOCKET_VARIABLE, TOKEN_VARIABLE},
};

/// Names the file with the MCP configuration in the environment of an attached command.
const CONFIGURATION_VARIABLE: &str = "CALLBOX_MCP_CONFIG";
/// Names the file with what its agent should hear first.
const MESSAGE_VARIABLE: &str = "CALLBOX_MESSAGE";

/// Runs the command as the execution of `reply` in this terminal, and reports its end.
pub(crate) async fn run(
    prepared: &Prepared,
    reply: &AttachReply,
    signals: &mut Signals,
    context: &Context,
) -> Result<ExitStatus, CliError> {
    let state = &context.state;
    let shim = &prepared.shim;
    let configuration = Configuration::write(state, reply, shim).map_err(CliError::unavailable)?;
    let _alive = alive::hold(&state.alive(reply.execution)).map_err(CliError::unavailable)?;
    let mut store = Reports::open(reply, context)?;
    let faults = FaultPoints::read();
    faults.pass(Point::BeforeStarted);
    // Refused, nothing is started: the task was cancelled in between.
    let pid = std::process::id();
    store.report(ReportBody::Started { pid, version: env!("CARGO_PKG_VERSION").to_owned() }).await?;
    faults.pass(Point::BeforeShown);
    for message in &reply.messages {
        output::say(sanitise::text(message));
    }
    // Only now: whatever ends this process before is no reason for anything to be lost.
    store.report(ReportBody::Facts { facts: vec![Fact::TurnTaken] }).await?;
    faults.pass(Point::Shown);
    let mut command = Command::from(bound(&prepared.program, &prepared.arguments));
    command.env(SOCKET_VARIABLE, state.agent_socket()).env(TOKEN_VARIABLE, reply.token.expose());
    command.env(EXECUTION_VARIABLE, reply.execution.to_string());
    command.env(CONFIGURATION_VARIABLE, configuration.servers());
    command.env(MESSAGE_VARIABLE, configuration.message());
    let status = match command.spawn() {
        Ok(child) => wait(child, signals).await?,
        // As a shell says that there is no such command; the run ends as one that failed.
        Err(error) => {
            output::say(format!(
                "error: `{}` could not be started: {error}",
                prepared.program.to_string_lossy()
            ));
            ExitStatus::from_raw(127 << 8)
        }
    };
    drop(configuration);
    let ended = ReportBody::AgentEnded { ending: Box::new(ending(status)) };
    store.report(ended).await?;
    Ok(status)
}

/// Ctrl-C reaches the command by itself, which shares this terminal; a SIGTERM or SIGHUP, which may have been sent to
/// this process alone, is handed on.
async fn wait(mut child: Child, signals: &mut Signals) -> Result<ExitStatus, CliError> {
    let internal = |error| CliError::new(ErrorKind::Internal, error);
    loop {
        tokio::select! {
            status = child.wait() => return status.map_err(internal),
            told = signals.next() => hand_on(told, &child),
        }
    }
}

fn hand_on(told: Told, child: &Child) {
    let handed = match told {
        Told::Interrupt => return,
        Told::Terminate => Signal::Terminate,
        Told::Hangup => Signal::Hangup,
    };
    if let Some(Ok(process)) = child.id().and_then(Pid::new).map(Process::of) {
        // It ended in between: there is nobody left to tell.
        let _ = signal(process, handed);
    }
}
