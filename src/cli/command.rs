//! The commands, one file each, and the way from one to the other.

use clap::Subcommand;

use super::{commands, context::Context, error::CliError, exit::ExitStatus};

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run tasks to their end in the foreground: progress on stderr, the result on stdout
    Run(commands::run::Run),
    /// Keep a store resident: it runs whatever is queued
    Serve(commands::serve::Serve),
    /// Have systemd keep a store resident
    Service(commands::service::Service),
    /// Queue tasks and return
    Submit(commands::submit::Submit),
    /// List tasks
    Ls(commands::ls::Ls),
    /// Show a task whole: result, questions, executions, and everything its agent said
    Show(commands::show::Show),
    /// Say in one sentence what a task waits for and which command moves it
    Why(commands::why::Why),
    /// Print what an agent said and did
    Logs(commands::logs::Logs),
    /// Follow all tasks as they change, until Ctrl-C
    Watch(commands::watch::Watch),
    /// Say how the store stands: what runs, what waits, agents that are of no use now, what the day has cost
    Status(commands::status::Status),
    /// List the questions that wait for an answer
    Questions(commands::questions::Questions),
    /// Answer a question; its task goes on in the same conversation
    Answer(commands::answer::Answer),
    /// Withdraw a question that nobody will answer; its task ends as its agent left it
    Dismiss(commands::dismiss::Dismiss),
    /// Say something to a task's agent while it works: with its next tool result, else at the end of its turn
    Tell(commands::tell::Tell),
    /// Complete tasks whose work waits for a review
    Accept(commands::accept::Accept),
    /// Send work that waits for a review back to its agent, with what is not good yet
    Reject(commands::reject::Reject),
    /// Take a task up again in the same conversation, with more to say
    Resume(commands::resume::Resume),
    /// Have an ended task done anew, in the same conversation or a fresh one
    Retry(commands::retry::Retry),
    /// Let tasks run that were held back
    Start(commands::start::Start),
    /// Give tasks up, with their subtasks
    Cancel(commands::cancel::Cancel),
    /// Show a task's work: what was delivered, or what stands in its sandbox
    Diff(commands::diff::Diff),
    /// Merge a task's work into the branch that is checked out in its project
    Take(commands::take::Take),
    /// Print the path of a task's sandbox
    Open(commands::open::Open),
    /// Give any command a task, a token and the MCP configuration
    Attach(commands::attach::Attach),
    /// Open a task for an agent that you configure by hand, and print the MCP configuration for it
    McpConfig(commands::mcp_config::McpConfig),
    /// End the run of an agent that you configured by hand
    End(commands::end::End),
    /// Have the `.callbox.toml` of a project count, until it changes
    Trust(commands::trust::Trust),
    /// Write a `.callbox.toml` for a project, with every key it may have, as comments
    Init(commands::init::Init),
    /// Print what a shell needs to complete callbox's words
    Completions(commands::completions::Completions),
    /// Save a copy of the database, also while a store runs
    Backup(commands::backup::Backup),
    /// Write tasks into an archive, with their sandboxes and conversations, to go on with them elsewhere
    Export(commands::export::Export),
    /// Take the tasks of an archive in, to go on with them here
    Import(commands::import::Import),
    /// Remove what tasks left on the disk that ended a while ago
    Gc(commands::gc::Gc),
    /// Prove the installation: store, sockets, git, shim, agents
    Doctor(commands::doctor::Doctor),
}

impl Command {
    /// Whether it leaves something behind that a person comes back to on this machine, or speaks of what is theirs.
    pub(crate) fn is_of_one_machine(&self) -> bool {
        matches!(
            self,
            Self::Serve(_)
                | Self::Service(_)
                | Self::Attach(_)
                | Self::McpConfig(_)
                | Self::Init(_)
                | Self::Trust(_)
        )
    }

    /// Does it.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        match self {
            Self::Run(command) => command.run(context).await,
            Self::Serve(command) => command.run(context).await,
            Self::Service(command) => command.run(context).await,
            Self::Submit(command) => command.run(context).await,
            Self::Ls(command) => command.run(context).await,
            Self::Show(command) => command.run(context).await,
            Self::Why(command) => command.run(context).await,
            Self::Logs(command) => command.run(context).await,
            Self::Watch(command) => command.run(context).await,
            Self::Status(command) => command.run(context).await,
            Self::Questions(command) => command.run(context).await,
            Self::Answer(command) => command.run(context).await,
            Self::Dismiss(command) => command.run(context).await,
            Self::Tell(command) => command.run(context).await,
            Self::Accept(command) => command.run(context).await,
            Self::Reject(command) => command.run(context).await,
            Self::Resume(command) => command.run(context).await,
            Self::Retry(command) => command.run(context).await,
            Self::Start(command) => command.run(context).await,
            Self::Cancel(command) => command.run(context).await,
            Self::Diff(command) => command.run(context).await,
            Self::Take(command) => command.run(context).await,
            Self::Open(command) => command.run(context).await,
            Self::Attach(command) => command.run(context).await,
            Self::McpConfig(command) => command.run(context).await,
            Self::End(command) => command.run(context).await,
            Self::Trust(command) => command.run(context).await,
            Self::Init(command) => command.run(context),
            Self::Completions(command) => command.run(),
            Self::Backup(command) => command.run(context).await,
            Self::Export(command) => command.run(context).await,
            Self::Import(command) => command.run(context).await,
            Self::Gc(command) => command.run(context).await,
            Self::Doctor(command) => command.run(context).await,
        }
    }
}
