//! `callbox ls`.

use std::{path::PathBuf, time::Duration};

use clap::Args;

use crate::{
    cli::{context::Context, error::CliError, exit::ExitStatus, limit, opened::Opened, output, render},
    ids::{Timestamp, parse_duration},
    protocol::query::{TaskFilter, Trees},
};

/// Flags of `callbox ls`.
#[derive(Debug, Args)]
pub(crate) struct Ls {
    /// Only tasks in this state
    #[arg(long = "in", value_name = "STATE", value_parser = STATES)]
    r#in: Option<String>,
    /// Only tasks of this project
    #[arg(short = 'C', long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Only tasks with this tag
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    /// Only tasks submitted then or later: a length of time such as `2h`, or an RFC 3339 time
    #[arg(long, value_name = "WHEN", value_parser = since)]
    since: Option<Since>,
    /// List at most so many, 0 for all [default: 500, in JSON all]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
}

/// Every state a task can be in.
const STATES: [&str; 10] = [
    "pending",
    "queued",
    "running",
    "blocked",
    "ready",
    "completed",
    "failed",
    "timed_out",
    "cancelled",
    "budget_exceeded",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Since {
    Ago(Duration),
    Time(Timestamp),
}

impl Ls {
    /// Prints the tasks that the filters let through.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        refuse_a_state_for_the_directory(context)?;
        let now = Timestamp::now();
        let directory = context.surroundings.directory();
        let filter = TaskFilter {
            state: self.r#in,
            // The store knows a project by the path without links and dots.
            project: self.project.map(|path| {
                let path = directory.join(path);
                path.canonicalize().unwrap_or(path)
            }),
            tag: self.tag,
            since: self.since.map(|since| match since {
                Since::Ago(length) => before(now, length),
                Since::Time(time) => time,
            }),
            tree: Trees::default(),
            limit: limit::of(self.limit, context.format),
        };
        let mut store = Opened::open(context).await?;
        let lines = store.look(async |operator| operator.tasks(&filter).await).await;
        store.close().await;
        let lines = lines?;
        context.answer(&lines, |lines| render::tasks(lines, now, output::columns()))?;
        limit::say_reached(filter.limit, lines.len(), "the most telling");
        Ok(ExitStatus::Success)
    }
}

/// `--state` names the state directory with every command, and whoever types `ls --state running`
/// would be told of an empty store.
fn refuse_a_state_for_the_directory(context: &Context) -> Result<(), CliError> {
    let root = context.state.root();
    let name = root.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if !STATES.contains(&name) || root.exists() {
        return Ok(());
    }
    let error = format!("there is no state directory `{}`", root.display());
    Err(CliError::usage(error).hinted(format!("`callbox ls --in {name}` lists the tasks that are {name}")))
}

fn since(text: &str) -> Result<Since, String> {
    if let Ok(length) = parse_duration(text) {
        return Ok(Since::Ago(length));
    }
    Timestamp::parse(text)
        .map(Since::Time)
        .ok_or_else(|| "neither a length such as `2h` nor a time such as `2026-11-30T04:00:00Z`".to_owned())
}

fn before(now: Timestamp, length: Duration) -> Timestamp {
    let millis = i64::try_from(length.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(now.millis().saturating_sub(millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_is_a_length_or_a_time() {
        assert_eq!(since("2h"), Ok(Since::Ago(Duration::from_secs(7200))));
        let time = Timestamp::from_millis(0);
        assert_eq!(since("1970-01-01T00:00:00Z"), Ok(Since::Time(time)));
        assert!(since("yesterday").unwrap_err().contains("2h"));
        let earlier = before(Timestamp::from_millis(5_000), Duration::from_secs(2));
        assert_eq!(earlier, Timestamp::from_millis(3_000));
    }
}
