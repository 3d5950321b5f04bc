//! How long one tool call takes that is on the disk when it is answered, and what the shim has of memory
//! behind it.

use std::{fs, path::Path, process::Command};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    effort::{Effort, Rounds},
    floor::Floor,
    mcp::Talk,
    programs,
    times::Times,
};

/// Together below the calls that a store takes of one run.
const ROUNDS: Rounds = Rounds { warm_up: 20, counted: 400 };

/// What was measured, round by round beside each other.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Calls {
    /// One commit.
    pub(crate) commit: Times,
    /// One round trip over a Unix socket.
    pub(crate) round_trip: Times,
    /// One call of `record_progress`.
    pub(crate) call: Times,
    /// The shim's resident memory after the calls, in KiB.
    pub(crate) resident: u64,
    /// The most it ever was, in KiB.
    pub(crate) peak: u64,
}

/// Measures them in turn. To be run where the environment names a store and a run; `folder` is on the
/// same file system as the store's.
pub(crate) fn measure(folder: &Path, effort: Effort) -> Result<Calls> {
    let Rounds { warm_up, counted } = effort.take(ROUNDS);
    let mut floor = Floor::open(folder)?;
    let mut talk = Talk::start(Command::new(programs::SHIM))?;
    talk.open_session()?;
    let mut call = Times::default();
    for round in 0..warm_up + counted {
        floor.round()?;
        let arguments = json!({"message": format!("step {round} of the bench"), "percent": round % 100});
        call.time(|| talk.call("record_progress", &arguments))?;
    }
    let status = fs::read_to_string(format!("/proc/{}/status", talk.pid()))?;
    talk.end()?;
    Ok(Calls {
        commit: floor.commit.warmed(warm_up),
        round_trip: floor.round_trip.warmed(warm_up),
        call: call.warmed(warm_up),
        resident: kibibytes(&status, "VmRSS")?,
        peak: kibibytes(&status, "VmHWM")?,
    })
}

fn kibibytes(status: &str, name: &str) -> Result<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.with_context(|| format!("the kernel does not say `{name}`"))
}
