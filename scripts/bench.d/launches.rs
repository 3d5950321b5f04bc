//! How long a submitted task waits, with a free slot, until its agent's process runs.

use std::{
    fs::OpenOptions,
    io::Read as _,
    path::PathBuf,
    process::{Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant, SystemTime},
};

use anyhow::{Context as _, Result, ensure};
use chrono::{DateTime, Utc};
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::Value;

use crate::{
    desk::Desk,
    effort::{Effort, Rounds},
    times::Times,
};

const ROUNDS: Rounds = Rounds { warm_up: 3, counted: 40 };
/// After which a start counts as one that never comes.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two looks whether a run has ended.
const PAUSE: Duration = Duration::from_millis(20);

/// What was measured, round by round beside each other.
#[derive(Debug)]
pub(crate) struct Launches {
    /// `git clone --no-hardlinks` of the same project to the same file system.
    pub(crate) clone: Times,
    /// From the moment the store recorded the task to the start of its agent, the clone included.
    pub(crate) whole: Times,
    /// The command `callbox submit`.
    pub(crate) submit: Times,
}

/// Measures them in turn.
pub(crate) fn measure(desk: &Desk, effort: Effort) -> Result<Launches> {
    let Rounds { warm_up, counted } = effort.take(ROUNDS);
    let fifo = desk.shared().join("started");
    mkfifoat(CWD, &fifo, Mode::RUSR | Mode::WUSR)?;
    let started = listen(fifo.clone())?;
    let mut launches =
        Launches { clone: Times::default(), whole: Times::default(), submit: Times::default() };
    for round in 0..warm_up + counted {
        let name = format!("clone-{round}");
        let clone = ["clone", "-q", "--no-hardlinks", "project", &name];
        launches.clone.time(|| desk.git(&desk.path(""), &clone))?;
        std::fs::remove_dir_all(desk.path(name))?;

        let mut submit =
            desk.callbox(&["submit", "--agent", "claude", "-p", "Do nothing.", "--env", "BENCH_STARTED"]);
        submit.env("BENCH_STARTED", &fifo).stderr(Stdio::inherit());
        let output = launches.submit.time(|| submit.output())?;
        ensure!(output.status.success(), "`callbox submit` failed");
        let number = String::from_utf8(output.stdout)?.trim().to_owned();
        let at = started
            .recv_timeout(PATIENCE)
            .with_context(|| format!("the agent of {number} was never started"))?;
        let queued = ended(desk, &number)?;
        launches.whole.add(at.duration_since(queued)?);
    }
    let Launches { clone, whole, submit } = launches;
    Ok(Launches {
        clone: clone.warmed(warm_up),
        whole: whole.warmed(warm_up),
        submit: submit.warmed(warm_up),
    })
}

/// Gives the moment of each byte that arrives.
fn listen(fifo: PathBuf) -> Result<Receiver<SystemTime>> {
    let (sender, receiver) = channel();
    // Open for both, so that it neither waits for the first agent nor ends with it.
    let mut fifo = OpenOptions::new().read(true).write(true).open(fifo)?;
    thread::spawn(
        move || {
            while fifo.read_exact(&mut [0]).is_ok() && sender.send(SystemTime::now()).is_ok() {}
        },
    );
    Ok(receiver)
}

/// Waits until the run has ended, so that its end does not disturb the next; when it was queued.
fn ended(desk: &Desk, number: &str) -> Result<SystemTime> {
    let begun = Instant::now();
    loop {
        let tasks: Value = serde_json::from_slice(&output(desk.callbox(&["ls", "--json"]))?)?;
        let tasks = tasks.as_array().context("`ls --json` prints an array")?;
        let task = tasks.iter().find(|task| task["number"] == number).context("the task is listed")?;
        if task["state"] == "failed" {
            let created = task["created_at"].as_str().context("a task has a time")?;
            return Ok(created.parse::<DateTime<Utc>>()?.into());
        }
        ensure!(begun.elapsed() < PATIENCE, "{number} does not end: {task}");
        thread::sleep(PAUSE);
    }
}

fn output(mut command: Command) -> Result<Vec<u8>> {
    let output = command.output()?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(output.stdout)
}
