//! The few words a shim says on standard error.
//!
//! A client that never reads them must not stop the shim: a line is written only when it cannot
//! block, and after a few there are no more.

use std::{
    io,
    os::fd::AsFd as _,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::write,
};

const MAX_LINES: u32 = 20;
/// Below the 4,096 bytes that a pipe which calls itself writable takes without blocking.
const MAX_LINE_BYTES: usize = 500;

/// A handle on what has been said. Clones count together.
#[derive(Clone, Default)]
pub(super) struct Talk {
    said: Arc<AtomicU32>,
}

impl Talk {
    /// Says a line, unless it could block or too much was said already. It must hold nothing secret
    /// and nothing that the client wrote.
    pub(super) fn line(&self, text: &str) {
        let said = self.said.fetch_add(1, Ordering::Relaxed);
        let text = match said {
            said if said < MAX_LINES => text,
            MAX_LINES => "more such lines are not shown",
            _ => return,
        };
        let mut line = format!("callbox-mcp: {text}").into_bytes();
        line.truncate(MAX_LINE_BYTES);
        line.push(b'\n');
        let stderr = io::stderr();
        let mut streams = [PollFd::new(&stderr, PollFlags::OUT)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let is_writable = poll(&mut streams, Some(&now)).is_ok_and(|ready| ready == 1)
            && streams[0].revents() == PollFlags::OUT;
        if is_writable {
            // Nobody can be told that this failed.
            let _ = write(stderr.as_fd(), &line);
        }
    }
}
