//! Keeps the machine awake while anything runs, by systemd's `systemd-inhibit`.
//!
//! That program holds its lock for as long as the command that it runs: one that reads from a pipe of this store's, and
//! so ends with it, however it ends.

use std::{collections::HashSet, io, process::Stdio, time::Duration};

use tokio::{
    io::AsyncReadExt as _,
    process::{Child, Command},
    sync::watch,
    time::timeout,
};

use super::engine::Engine;
use crate::{ids::ExecutionNumber, process::Family, vocabulary::SERVICE_VARIABLES};

/// How long it may take to end once its pipe is closed.
const GRACE: Duration = Duration::from_secs(2);
/// More than it says of itself.
const LONGEST_REASON: u64 = 1024;

impl Engine {
    /// Holds the lock from the first run to the last, again and again, until the store stops. Where it cannot be had the
    /// log says why, once for each time that the store had nothing to run before.
    pub(super) async fn keep_awake(self) {
        let mut known = self.supervisors().watch();
        loop {
            tokio::select! {
                () = self.stop().cancelled() => return,
                begun = known.wait_for(|known| !known.is_empty()) => if begun.is_err() { return },
            }
            let mut lock = Lock::take(self.supervisors().family())
                .inspect_err(|error| tracing::warn!(%error, "the machine is not kept awake"))
                .ok();
            let reason = tokio::select! {
                () = self.nothing_runs(&mut known) => None,
                reason = lost(&mut lock) => Some(reason),
            };
            if let Some(reason) = reason {
                tracing::warn!(reason, "the machine is not kept awake");
                lock = None;
                self.nothing_runs(&mut known).await;
            }
            if let Some(lock) = lock {
                lock.release().await;
            }
        }
    }

    /// Ends when the last run has ended, or the store is to.
    async fn nothing_runs(&self, known: &mut watch::Receiver<HashSet<ExecutionNumber>>) {
        tokio::select! {
            () = self.stop().cancelled() => {}
            _ = known.wait_for(HashSet::is_empty) => {}
        }
    }
}

/// Ends when a lock that is held is lost; in whose words.
async fn lost(lock: &mut Option<Lock>) -> String {
    match lock {
        Some(lock) => lock.lost().await,
        None => std::future::pending().await,
    }
}

/// The lock, for as long as this is there.
struct Lock {
    child: Child,
}

impl Lock {
    fn take(family: &Family) -> io::Result<Self> {
        let mut command = Command::new("systemd-inhibit");
        command.args([
            "--what=idle:sleep",
            "--mode=block",
            "--who=callbox",
            "--why=agents are at work",
            "cat",
        ]);
        for name in SERVICE_VARIABLES {
            command.env_remove(name);
        }
        command.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        Ok(Self { child: family.spawn(command.kill_on_drop(true))? })
    }

    async fn lost(&mut self) -> String {
        let mut said = String::new();
        if let Some(stderr) = self.child.stderr.as_mut() {
            // What it could not say is missing in the log alone.
            let _ = stderr.take(LONGEST_REASON).read_to_string(&mut said).await;
        }
        // Not `wait`, which would close the pipe.
        let ended = loop {
            match self.child.try_wait() {
                Ok(None) => tokio::time::sleep(Duration::from_millis(100)).await,
                Ok(Some(status)) => break status.to_string(),
                Err(error) => break error.to_string(),
            }
        };
        format!("`systemd-inhibit` ended with {ended}: {}", said.trim())
    }

    async fn release(mut self) {
        drop(self.child.stdin.take());
        if timeout(GRACE, self.child.wait()).await.is_err() {
            // It may have ended meanwhile.
            let _ = self.child.kill().await;
        }
    }
}
