//! A store that stays, and its sudden ends.

use std::{fs, os::unix::net::UnixStream};

use rustix::process::Signal;

use super::{
    cli::{Desk, Ended, Running},
    processes::kill,
    wait::{SOON, wait_until},
};

/// Waits until the process `pid` is the store of `desk` and answers.
#[track_caller]
pub(crate) fn wait_for_store(desk: &Desk, pid: u32) {
    let (lock, socket) = (desk.state().join("lock"), desk.state().join("operator/store.sock"));
    let own = format!("\"pid\":{pid},");
    wait_until("the store answers", SOON, || {
        fs::read_to_string(&lock).is_ok_and(|holder| holder.contains(&own))
            && UnixStream::connect(&socket).is_ok()
    });
}

/// A `callbox serve` that answers. Dropped, it is killed.
pub(crate) struct Resident {
    running: Option<Running>,
}

impl Resident {
    /// Starts one at `desk` and waits until it answers.
    #[track_caller]
    pub(crate) fn start(desk: &Desk) -> Self {
        Self::from(desk, desk.callbox(["serve"]).start())
    }

    /// As [`Resident::start`], with what is looked up for agents of Claude Code's.
    #[track_caller]
    pub(crate) fn of(desk: &Desk) -> Self {
        Self::from(desk, desk.callbox(["serve"]).variable("ANTHROPIC_API_KEY", "sk-ant-dummy").start())
    }

    /// `running`, a `callbox serve` at `desk` that was started; waits until it answers.
    #[track_caller]
    pub(crate) fn from(desk: &Desk, running: Running) -> Self {
        wait_for_store(desk, running.pid());
        Self { running: Some(running) }
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.running.as_ref().unwrap().pid()
    }

    /// Kills it without a chance to say anything.
    pub(crate) fn kill(self) {
        drop(self);
    }

    /// Waits until it ends by itself.
    #[track_caller]
    pub(crate) fn ends(mut self) -> Ended {
        self.running.take().unwrap().end()
    }

    /// Stops it gracefully.
    #[track_caller]
    pub(crate) fn stop(mut self) {
        kill(self.pid(), Signal::TERM);
        let _ = self.running.take().unwrap().end().expect(0).says("is ready");
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            kill(running.pid(), Signal::KILL);
            running.end();
        }
    }
}
