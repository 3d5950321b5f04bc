//! `callbox mcp-config`.

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::{
    agents::{Form, Wiring, snippet},
    cli::{
        context::{Context, Format},
        error::CliError,
        exit::ExitStatus,
        output, render, sanitise, shim,
    },
    client::{ClientError, OperatorClient, Transport},
    ids::{ExecutionNumber, TaskNumber, Timestamp},
    protocol::operator::OpenRequest,
};

/// Flags of `callbox mcp-config`.
#[derive(Debug, Args)]
pub(crate) struct McpConfig {
    /// Go on with this task instead of a new one
    #[arg(value_name = "ID")]
    task: Option<TaskNumber>,
    /// Whose form the configuration has
    #[arg(long = "for", value_name = "AGENT", value_enum)]
    agent: Agent,
    /// A name for the new task
    #[arg(long, value_name = "NAME", conflicts_with = "task", default_value = "configured by hand")]
    name: String,
}

/// The forms there are.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Agent {
    /// Claude Code: JSON for a file that it is given
    Claude,
    /// Codex: TOML for `~/.codex/config.toml`
    Codex,
    /// Gemini CLI: JSON for `~/.gemini/settings.json`
    Gemini,
    /// Any other that takes `mcpServers`
    Json,
}

/// The JSON of `callbox mcp-config --json`.
#[derive(Debug, Serialize)]
struct Opened {
    task: TaskNumber,
    execution: ExecutionNumber,
    unbound_until: Timestamp,
    configuration: String,
    messages: Vec<String>,
    opening: Option<String>,
}

impl McpConfig {
    /// Opens a run that nobody watches and prints the configuration for its agent.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let shim = shim::beside_this_program()?;
        let operator = resident(context).await?;
        let directory = context.surroundings.directory().to_owned();
        let reply = operator.open(&OpenRequest { name: self.name, task: self.task, directory }).await?;
        let (socket, token) = (&context.state.agent_socket(), &reply.token);
        let wiring = Wiring { shim: &shim, socket, token, execution: reply.execution };
        let opened = Opened {
            task: reply.task,
            execution: reply.execution,
            unbound_until: reply.until,
            configuration: snippet(self.agent.form(), &wiring),
            messages: reply.messages,
            opening: reply.opening.map(|opening| opening.text(str::to_owned)),
        };
        if context.format == Format::Json {
            output::print(render::object(&opened)?)?;
            return Ok(ExitStatus::Success);
        }
        output::print(&opened.configuration)?;
        let Opened { task, execution, unbound_until, .. } = opened;
        output::say(self.agent.advice());
        output::say(format!(
            "{execution} of {task} is unbound: whoever has this token speaks for it, until `callbox end {task}` or {unbound_until}"
        ));
        // It holds the messages too.
        if let Some(opening) = &opened.opening {
            output::say("what your agent is to hear first, which nobody but you can tell it:");
            output::say(sanitise::text(opening.trim_end()));
        }
        Ok(ExitStatus::Success)
    }
}

impl Agent {
    fn form(self) -> Form {
        match self {
            Self::Claude => Form::Claude,
            Self::Codex => Form::Codex,
            Self::Gemini => Form::Gemini,
            Self::Json => Form::Json,
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Self::Claude => {
                "put it into a file that is yours alone (`umask 077`), and run `claude --mcp-config FILE`"
            }
            Self::Codex => "put it into `~/.codex/config.toml`, and take it out once the run has ended",
            Self::Gemini => "put it into `~/.gemini/settings.json`, and take it out once the run has ended",
            Self::Json => "put it where your agent reads its MCP servers, in a file that is yours alone",
        }
    }
}

/// The store, where one stays. None is opened here: it would end with this command, and the agent would find
/// nobody.
async fn resident(context: &Context) -> Result<OperatorClient, CliError> {
    let none = || {
        CliError::unavailable("no store stays here that an agent could talk to")
            .hinted("`callbox serve` keeps one; then ask again")
    };
    let operator = OperatorClient::new(Transport::new(&context.state.store_socket())?);
    match operator.status().await {
        Ok(status) if status.resident => Ok(operator),
        Ok(_) | Err(ClientError::Unreachable { .. }) => Err(none()),
        Err(error) => Err(error.into()),
    }
}
