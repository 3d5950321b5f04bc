//! `callbox logs`.

use std::{str::FromStr, time::Duration};

use clap::Args;
use serde::Serialize;

use crate::{
    cli::{
        context::{Context, Format},
        error::{CliError, ErrorKind},
        exit::ExitStatus,
        opened::Opened,
        output, render,
        transcript::Transcript,
    },
    ids::{ExecutionNumber, ParseNumberError, TaskNumber},
    protocol::query::{LogKind, LogQuery},
};

/// How often a followed log is asked for more.
const PAUSE: Duration = Duration::from_millis(300);

/// Flags of `callbox logs`.
#[derive(Debug, Args)]
pub(crate) struct Logs {
    /// A task, whose last execution is meant, or an execution such as `x31`
    #[arg(value_name = "ID")]
    of: Of,
    /// Go on printing until the execution has ended
    #[arg(short, long)]
    follow: bool,
    /// The bytes the agent program wrote instead of a readable transcript
    #[arg(long)]
    raw: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Task(TaskNumber),
    Execution(ExecutionNumber),
}

impl FromStr for Of {
    type Err = ParseNumberError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(number) if text.starts_with('x') => Ok(Self::Execution(number)),
            _ => text.parse().map(Self::Task),
        }
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Log {
    execution: ExecutionNumber,
    ended: bool,
    text: String,
}

/// How far a log was read.
struct Read {
    bytes: u64,
    ended: bool,
}

impl Logs {
    /// Prints the log to its present end, or to its last.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let mut store = Opened::open(context).await?;
        let printed = match context.format {
            Format::Text => self.print(&mut store).await,
            Format::Json => self.print_json(&mut store).await,
        };
        store.close().await;
        printed.map(|()| ExitStatus::Success)
    }

    async fn print(&self, store: &mut Opened) -> Result<(), CliError> {
        let execution = self.execution(store).await?;
        // A terminal gets no bytes that it could obey, whatever was asked for.
        let bytes_pass = self.raw && !output::is_terminal();
        let mut transcript = Transcript::default();
        let read = self.read(store, execution, |bytes| {
            if bytes_pass { output::write_bytes(bytes) } else { output::print(transcript.push(bytes)) }
        });
        let read = read.await?;
        output::print(transcript.finish())?;
        match read {
            Read { bytes: 0, ended: true } => output::say(format!(
                "the agent of {execution} said nothing; `callbox show` of its task says how it ended"
            )),
            Read { bytes: 0, ended: false } => {
                output::say(format!("the agent of {execution} has said nothing yet; `-f` follows it"));
            }
            Read { .. } => {}
        }
        Ok(())
    }

    /// One value, so that with `--follow` it comes once the execution has ended.
    async fn print_json(&self, store: &mut Opened) -> Result<(), CliError> {
        let execution = self.execution(store).await?;
        let mut all = Vec::new();
        let read = self.read(store, execution, |bytes| {
            all.extend_from_slice(bytes);
            Ok(())
        });
        let ended = read.await?.ended;
        let text = String::from_utf8_lossy(&all).into_owned();
        output::print(render::object(&Log { execution, ended, text })?)
    }

    async fn read(
        &self,
        store: &mut Opened,
        execution: ExecutionNumber,
        mut each: impl FnMut(&[u8]) -> Result<(), CliError>,
    ) -> Result<Read, CliError> {
        let kind = if self.raw { LogKind::Raw } else { LogKind::Transcript };
        let mut offset = 0;
        loop {
            let mut log =
                store.look(async |operator| operator.log(execution, LogQuery { kind, offset }).await).await?;
            while let Some(bytes) = log.chunk().await? {
                offset += bytes.len() as u64;
                each(&bytes)?;
            }
            if log.is_final() || !self.follow {
                return Ok(Read { bytes: offset, ended: log.is_final() });
            }
            store.pause(PAUSE).await;
        }
    }

    async fn execution(&self, store: &mut Opened) -> Result<ExecutionNumber, CliError> {
        match self.of {
            Of::Execution(execution) => Ok(execution),
            Of::Task(task) => {
                let report = store.look(async |operator| operator.task(task).await).await?;
                report.execution.map(|execution| execution.number).ok_or_else(|| {
                    CliError::new(ErrorKind::Refused, format!("`{task}` has not run yet"))
                        .hinted(format!("`callbox why {task}` says what it waits for"))
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_task_unless_it_says_that_it_is_an_execution() {
        assert_eq!("x31".parse(), Ok(Of::Execution(ExecutionNumber::new(31))));
        assert_eq!("t31".parse(), Ok(Of::Task(TaskNumber::new(31))));
        assert_eq!("31".parse(), Ok(Of::Task(TaskNumber::new(31))));
        assert!("q31".parse::<Of>().unwrap_err().to_string().contains("such as `t12`"));
    }
}
