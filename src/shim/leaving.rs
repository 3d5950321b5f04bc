//! When and how fast a shim goes.
//!
//! Clients give an MCP server two seconds at most after they closed its input (TypeScript SDK), and
//! some a tenth of one. A call that is being recorded may still be answered; nothing else is waited
//! for.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// How long calls in progress, and answers that wait to be read, keep the process.
const GRACE: Duration = Duration::from_millis(900);

/// Knows whether the client is gone. Clones know the same.
#[derive(Clone, Default)]
pub(super) struct Leaving {
    gone: CancellationToken,
}

impl Leaving {
    /// Set off by whoever sees that the client is gone.
    pub(super) fn gone(&self) -> CancellationToken {
        self.gone.clone()
    }

    /// Waits until the client is gone.
    pub(super) async fn begun(&self) {
        self.gone.cancelled().await;
    }

    /// Waits until the process must be gone.
    pub(super) async fn time_over(&self) {
        self.gone.cancelled().await;
        tokio::time::sleep(GRACE).await;
    }
}
