//! Has `callbox gc` run every now and then while a store stays.
//!
//! In a process of its own, which asks this store as any command does: the store itself looks into no sandbox and runs
//! no git.

use std::{
    io::{self, Write as _},
    process::Stdio,
};

use tokio::{
    process::Command,
    time::{Instant, sleep_until},
};

use super::{engine::Engine, side_log::side_log};
use crate::ids::Timestamp;

/// For ever where it is never due.
async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}

impl Engine {
    /// Runs it at once and then each time behind so long a pause, until the store stops, which ends it: what it
    /// broke off the next one takes up.
    pub(super) async fn keep_house(self) {
        let mut replaced = self.replacements();
        loop {
            if self.gc_every().is_some() {
                tokio::select! {
                    () = self.stop().cancelled() => return,
                    ran = self.collect() => if let Err(error) = ran {
                        tracing::warn!(%error, "`callbox gc` was not run");
                    }
                }
            }
            let ran = Instant::now();
            loop {
                // Other settings hold for the pause that is under way too.
                let due = self.gc_every().map(|pause| ran + pause);
                tokio::select! {
                    () = self.stop().cancelled() => return,
                    () = until(due) => break,
                    told = replaced.changed() => if told.is_err() { return },
                }
            }
        }
    }

    async fn collect(&self) -> io::Result<()> {
        let mut log = side_log(&self.state().gc_log())?;
        writeln!(log, "{}", Timestamp::now())?;
        let mut command = Command::new("/proc/self/exe");
        command.arg0("callbox").arg("gc").arg("--state").arg(self.state().root()).current_dir("/");
        command.process_group(0).kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let mut child = self.supervisors().family().spawn(&mut command)?;
        let helper = child.id().and_then(|pid| self.runs().begin_help(pid));
        let status = child.wait().await;
        if let Some(helper) = helper {
            self.runs().end_help(helper);
        }
        let status = status?;
        if status.success() {
            tracing::info!("`callbox gc` was run");
        } else {
            tracing::warn!(%status, log = %self.state().gc_log().display(), "`callbox gc` did not do all of it");
        }
        Ok(())
    }
}
