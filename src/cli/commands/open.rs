//! `callbox open`.

use std::{os::unix::ffi::OsStrExt as _, path::Path};

use clap::Args;
use serde::Serialize;

use crate::{
    cli::{
        context::{Context, Format},
        error::{CliError, ErrorKind},
        exit::ExitStatus,
        opened::Opened,
        output, render, sanitise,
    },
    ids::TaskNumber,
};

/// Flags of `callbox open`.
#[derive(Debug, Args)]
pub(crate) struct Open {
    /// The task
    #[arg(value_name = "ID")]
    task: TaskNumber,
}

/// The JSON of `callbox open --json`.
#[derive(Debug, Serialize)]
struct Place<'a> {
    task: TaskNumber,
    sandbox: &'a Path,
}

impl Open {
    /// Prints where the task's agent worked last, as for `cd "$(callbox open t1)"`.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let task = self.task;
        let mut store = Opened::open(context).await?;
        let report = store.look(async |operator| operator.task(task).await).await;
        store.close().await;
        let report = report?;
        if report.swept && report.sandbox.is_none() {
            let gone = format!("the sandbox of `{task}` is gone: `callbox gc` removed it");
            return Err(CliError::new(ErrorKind::Refused, gone)
                .hinted(format!("`callbox diff {task}` shows what was delivered or kept")));
        }
        let Some(sandbox) = report.sandbox else {
            return Err(CliError::new(ErrorKind::Refused, format!("`{task}` has no sandbox yet"))
                .hinted(format!("`callbox why {task}` says what it waits for")));
        };
        if !sandbox.is_dir() {
            let gone = format!("the sandbox of `{task}`, `{}`, is gone", sandbox.display());
            return Err(CliError::new(ErrorKind::Refused, gone)
                .hinted(format!("`callbox diff {task}` shows what was delivered")));
        }
        if context.format == Format::Json {
            output::print(render::object(&Place { task, sandbox: &sandbox })?)?;
        } else if output::is_terminal() {
            output::print(sanitise::line(&sandbox.to_string_lossy()) + "\n")?;
        } else {
            // For a program, which wants the name as it is.
            output::write_bytes(&[sandbox.as_os_str().as_bytes(), b"\n"].concat())?;
        }
        Ok(ExitStatus::Success)
    }
}
