//! The commands, one file each, and the way from one to the other.

use clap::Subcommand;

use super::{commands, context::Context, error::CliError, exit::ExitStatus};

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List tasks
    Ls(commands::ls::Ls),
    /// Show a task whole: result, questions, executions, and everything its agent said
    Show(commands::show::Show),
    /// Say in one sentence what a task waits for and which command moves it
    Why(commands::why::Why),
    /// Print what an agent said and did
    Logs(commands::logs::Logs),
    /// List the questions that wait for an answer
    Questions(commands::questions::Questions),
    /// Give a task up, with its subtasks
    Cancel(commands::cancel::Cancel),
    /// Prove the installation: store, sockets, git, shim, agents
    Doctor(commands::doctor::Doctor),
}

impl Command {
    /// Does it.
    pub async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        match self {
            Self::Ls(command) => command.run(context).await,
            Self::Show(command) => command.run(context).await,
            Self::Why(command) => command.run(context).await,
            Self::Logs(command) => command.run(context).await,
            Self::Questions(command) => command.run(context).await,
            Self::Cancel(command) => command.run(context).await,
            Self::Doctor(command) => command.run(context).await,
        }
    }
}
