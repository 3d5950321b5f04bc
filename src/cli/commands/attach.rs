//! `callbox attach`.

use std::{ffi::OsString, os::unix::process::ExitStatusExt as _, path::Path, process};

use clap::Args;

use crate::{
    cli::{
        attach::{self, Prepared},
        context::Context,
        error::CliError,
        exit::ExitStatus,
        follow::Signals,
        opened::Opened,
        output,
    },
    ids::TaskNumber,
    protocol::operator::AttachRequest,
};

/// Flags of `callbox attach`.
#[derive(Debug, Args)]
pub(crate) struct Attach {
    /// A name for the new task [default: the command's]
    #[arg(long, value_name = "NAME", conflicts_with = "task")]
    name: Option<String>,
    /// Go on with this task, and show the answers to its questions
    #[arg(long, value_name = "ID")]
    task: Option<TaskNumber>,
    /// The command with its arguments. It finds CALLBOX_SOCKET, CALLBOX_TOKEN, CALLBOX_EXECUTION,
    /// CALLBOX_MCP_CONFIG (a file with the MCP configuration) and CALLBOX_MESSAGE (a file with what its agent should
    /// hear first) in its environment
    #[arg(value_name = "COMMAND", last = true, required = true)]
    command: Vec<OsString>,
}

impl Attach {
    /// Runs the command with a task of its own; ends as the command does.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let request = AttachRequest {
            name: self.name.clone().unwrap_or_else(|| self.command_name()),
            task: self.task,
            directory: context.surroundings.directory().to_owned(),
        };
        let prepared = Prepared::find(&self.command, &context.surroundings)?;
        let mut signals = Signals::listen()?;
        let mut store = Opened::open(context).await?;
        let reply = store.act(async |operator| operator.attach(&request).await).await;
        let (store, reply) = store.or_close(reply).await?;
        output::say(format!("attached as {} of {}", reply.execution, reply.task));
        let status = attach::run(&prepared, &reply, &mut signals, context).await;
        store.close().await;
        let status = status?;
        // Asked for here it would be refused: this process supervises, and so it may not look as the person.
        let task = reply.task;
        output::say(format!(
            "`callbox show {task}` prints what was said, `callbox why {task}` what it waits for"
        ));
        Ok(ExitStatus::OfCommand(shell_status(status)))
    }

    fn command_name(&self) -> String {
        let program = self.command.first().map(Path::new).and_then(Path::file_name);
        program.map_or_else(|| "attached".to_owned(), |name| name.to_string_lossy().into_owned())
    }
}

/// The status as a shell tells it: 128 and the signal where one ended the command.
fn shell_status(status: process::ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_ends_as_a_shell_would_tell() {
        assert_eq!(shell_status(process::ExitStatus::from_raw(3 << 8)), 3);
        assert_eq!(shell_status(process::ExitStatus::from_raw(15)), 143);
    }
}
