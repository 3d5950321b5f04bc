//! How long the shim takes from its start until an agent has the list of tools.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use crate::{
    effort::{Effort, Rounds},
    mcp::Talk,
    programs,
    times::Times,
};

const ROUNDS: Rounds = Rounds { warm_up: 10, counted: 200 };

/// What was measured, round by round beside each other.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Starts {
    /// An empty program, from its start to its end.
    pub(crate) empty: Times,
    /// A program that echoes, from its start to the second line it gave back.
    pub(crate) echo: Times,
    /// The shim, from its start to the answered `tools/list`.
    pub(crate) shim: Times,
}

/// Measures them in turn, so that the machine's drift meets all of them.
pub(crate) fn measure(effort: Effort) -> Result<Starts> {
    let Rounds { warm_up, counted } = effort.take(ROUNDS);
    let mut starts = Starts { empty: Times::default(), echo: Times::default(), shim: Times::default() };
    for _ in 0..warm_up + counted {
        starts.empty.time(|| run(&programs::beside("empty")))?;
        starts.echo.time(|| echo(&programs::beside("echo")))?.end()?;
        starts.shim.time(|| open(programs::SHIM.as_ref()))?.end()?;
    }
    let Starts { empty, echo, shim } = starts;
    Ok(Starts { empty: empty.warmed(warm_up), echo: echo.warmed(warm_up), shim: shim.warmed(warm_up) })
}

fn run(program: &Path) -> Result<()> {
    let mut command = Command::new(program);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    ensure!(command.spawn()?.wait()?.success(), "the empty program failed");
    Ok(())
}

fn echo(program: &Path) -> Result<Talk> {
    let mut talk = Talk::start(Command::new(program))?;
    for _ in 0..2 {
        talk.exchange(b"a line\n")?;
    }
    Ok(talk)
}

fn open(program: &Path) -> Result<Talk> {
    let mut talk = Talk::start(Command::new(program))?;
    talk.open_session()?;
    Ok(talk)
}
