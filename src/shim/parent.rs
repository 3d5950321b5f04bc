//! Noticing that the client is gone although standard input stays open.
//!
//! Another child of a killed agent may hold the other end of the pipe, and the shim would live for
//! ever. A death signal (`PR_SET_PDEATHSIG`) would come too early: it is sent when the *thread* that
//! started the shim ends.

use std::{io, os::unix::process::parent_id, time::Duration};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::time::MissedTickBehavior;

/// How often it looks.
const PERIOD: Duration = Duration::from_secs(1);

/// Waits until the process that started this one is gone, or nobody can read its answers any more.
pub(super) async fn is_gone() {
    let parent = parent_id();
    let mut tick = tokio::time::interval(PERIOD);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while parent_id() == parent && !is_unread() {
        tick.tick().await;
    }
}

fn is_unread() -> bool {
    let stdout = io::stdout();
    let mut streams = [PollFd::new(&stdout, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut streams, Some(&now)).is_ok() && streams[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}
