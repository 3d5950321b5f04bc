//! The attached command, from its start to the report of its end.

use std::{ffi::OsString, os::unix::process::ExitStatusExt as _, process::ExitStatus, time::Duration};

use tokio::process::{Child, Command};

use super::{configuration::Configuration, ending::ending};
use crate::{
    cli::{
        context::Context,
        error::{CliError, ErrorKind},
        follow::{Signals, Told},
        opened::Opened,
        output, sanitise,
    },
    client::{ClientError, SupervisorClient, Transport},
    ids::Timestamp,
    process::{Pid, Process, Signal, alive, signal},
    protocol::{
        operator::AttachReply,
        supervise::{Report, ReportBody, Verdict},
    },
    vocabulary::{EXECUTION_VARIABLE, Finish, SOCKET_VARIABLE, TOKEN_VARIABLE},
};

/// Names the file with the MCP configuration in the environment of an attached command.
const CONFIGURATION_VARIABLE: &str = "CALLBOX_MCP_CONFIG";
/// How often the end is reported to a store that does not answer, and the pause between.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(500);

/// Runs `command` as the execution of `reply` in this terminal, and reports its end.
pub async fn run(
    command: &[OsString],
    reply: &AttachReply,
    signals: &mut Signals,
    context: &Context,
) -> Result<ExitStatus, CliError> {
    let state = &context.state;
    let shim = shim()?;
    let configuration = Configuration::write(state, reply, &shim).map_err(CliError::unavailable)?;
    let _alive = alive::hold(&state.alive(reply.execution)).map_err(CliError::unavailable)?;
    for message in &reply.messages {
        output::say(sanitise::text(message));
    }
    let [program, arguments @ ..] = command else {
        return Err(CliError::usage("there is no command").hinted("name one behind `--`"));
    };
    let mut command = Command::new(program);
    command.args(arguments);
    command.env(SOCKET_VARIABLE, state.agent_socket()).env(TOKEN_VARIABLE, reply.token.expose());
    command.env(EXECUTION_VARIABLE, reply.execution.to_string());
    command.env(CONFIGURATION_VARIABLE, configuration.path());
    let status = match command.spawn() {
        Ok(child) => wait(child, signals).await?,
        // As a shell says that there is no such command; the run ends as one that failed.
        Err(error) => {
            output::say(format!("error: `{}` could not be started: {error}", program.to_string_lossy()));
            ExitStatus::from_raw(127 << 8)
        }
    };
    drop(configuration);
    report_end(status, reply, context).await?;
    Ok(status)
}

fn shim() -> Result<std::path::PathBuf, CliError> {
    let own = std::env::current_exe().map_err(|error| CliError::new(ErrorKind::Internal, error))?;
    let shim = own.with_file_name("callbox-mcp");
    if shim.is_file() {
        return Ok(shim);
    }
    Err(CliError::unavailable(format!("`{}` is missing", shim.display()))
        .hinted("install `callbox-mcp` of the same version beside `callbox`"))
}

/// Ctrl-C reaches the command by itself, which shares this terminal; a SIGTERM or SIGHUP sent to this
/// process alone is handed on.
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
    let process = child.id().and_then(Pid::new).map(Process::of);
    if let (Told::Terminate, Some(Ok(process))) = (told, process) {
        // It ended in between: there is nobody left to tell.
        let _ = signal(process, Signal::Terminate);
    }
}

/// Reports the end, to a store of our own where the one that was there is gone.
async fn report_end(status: ExitStatus, reply: &AttachReply, context: &Context) -> Result<(), CliError> {
    let transport = Transport::new(&context.state.store_socket())?;
    let client = SupervisorClient::new(transport, reply.supervisor_secret.clone());
    let ended = ReportBody::AgentEnded { ending: Box::new(ending(status)) };
    let mut hosted = Vec::new();
    let mut verdict = report(&client, 1, ended.clone()).await;
    for _ in 0..TRIES {
        if !matches!(verdict, Err(ClientError::Unreachable { .. } | ClientError::Broken { .. })) {
            break;
        }
        tokio::time::sleep(PAUSE).await;
        hosted.extend(Opened::open(context).await);
        verdict = report(&client, 1, ended.clone()).await;
    }
    if matches!(verdict, Ok(Verdict::Deliver)) {
        // The person's own directory is no sandbox: there is nothing to hand over.
        let finish = Finish::Delivered { delivery: None, notice: None };
        verdict = report(&client, 2, ReportBody::Ended { finish }).await;
    }
    for store in hosted {
        store.close().await;
    }
    verdict.map(|_| ()).map_err(CliError::from)
}

async fn report(client: &SupervisorClient, number: u64, body: ReportBody) -> Result<Verdict, ClientError> {
    client.report(&Report { number, at: Timestamp::now(), body }).await
}
