//! Writing answers, whole and in order, by a task of its own.
//!
//! rmcp drops the future in which it waits for the next message whenever something else happens; a
//! write begun there would leave half a line behind.

use rmcp::model::ServerJsonRpcMessage;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::{MAX_OWED_BYTES, output::Output};

/// Where answers wait to be written. Clones are handles on the same.
#[derive(Clone)]
pub(in crate::shim) struct Outbox {
    lines: mpsc::UnboundedSender<Vec<u8>>,
    /// Bytes put in and not yet written.
    owed: watch::Sender<usize>,
}

impl Outbox {
    /// Writes to `output` until nobody reads there any more; then `gone` is set off.
    pub(super) fn to(mut output: Output, gone: CancellationToken) -> Self {
        let (lines, mut waiting) = mpsc::unbounded_channel::<Vec<u8>>();
        let owed = watch::Sender::new(0);
        let written = owed.clone();
        tokio::spawn(async move {
            while let Some(line) = waiting.recv().await {
                if output.write_all(&line).await.is_err() {
                    // Nothing is owed to a client that is gone: nobody must wait for that.
                    written.send_modify(|owed| *owed = 0);
                    gone.cancel();
                    break;
                }
                written.send_modify(|owed| *owed -= line.len());
            }
        });
        Self { lines, owed }
    }

    /// Puts a message in. What is put in once nobody reads is dropped.
    pub(super) fn put(&self, message: &ServerJsonRpcMessage) {
        let Ok(mut line) = serde_json::to_vec(message) else { return };
        line.push(b'\n');
        let length = line.len();
        self.owed.send_modify(|owed| *owed += length);
        if self.lines.send(line).is_err() {
            self.owed.send_modify(|owed| *owed -= length);
        }
    }

    /// Waits until the client has read enough for more to be begun.
    pub(super) async fn has_room(&self) {
        // The sender is held by `self`, so the wait cannot fail.
        let _ = self.owed.subscribe().wait_for(|owed| *owed < MAX_OWED_BYTES).await;
    }

    /// Waits until everything is written, or nobody reads any more.
    pub(in crate::shim) async fn is_empty(&self) {
        let _ = self.owed.subscribe().wait_for(|owed| *owed == 0).await;
    }
}
