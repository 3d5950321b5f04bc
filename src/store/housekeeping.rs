//! Has `callbox gc` run every now and then while a store stays.
//!
//! In a process of its own, which asks this store as any command does: the store itself looks into no sandbox and runs
//! no git.

use std::{
    io::{self, Write as _},
    process::Stdio,
    time::Duration,
};

use tokio::process::Command;

use super::{engine::Engine, side_log::side_log};
use crate::ids::Timestamp;

/// How often it is looked whether it is to be run, where it is not: the configuration may be read again.
const LOOK: Duration = Duration::from_secs(60);

impl Engine {
    /// Runs it at once and then each time behind so long a pause, until the store stops, which ends it: what it
    /// broke off the next one takes up.
    pub(super) async fn keep_house(self) {
        loop {
            let pause = match self.gc_every() {
                None => LOOK,
                Some(pause) => {
                    tokio::select! {
                        () = self.stop().cancelled() => return,
                        ran = self.collect() => if let Err(error) = ran {
                            tracing::warn!(%error, "`callbox gc` was not run");
                        }
                    }
                    pause
                }
            };
            tokio::select! {
                () = self.stop().cancelled() => return,
                () = tokio::time::sleep(pause) => {}
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
