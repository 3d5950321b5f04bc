//! Reports to the store, to one of our own where the one that was there is gone.

use std::time::Duration;

use crate::{
    cli::{context::Context, error::CliError, opened::Opened},
    client::{ClientError, SupervisorClient, Transport},
    ids::Timestamp,
    protocol::{
        operator::AttachReply,
        supervise::{Report, ReportBody, Verdict},
    },
};

/// How often a report is handed to a store that does not answer, and the pause between.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(500);

/// The way of one execution's reports.
pub(super) struct Reports<'a> {
    client: SupervisorClient,
    context: &'a Context,
    /// The number of the last one.
    last: u64,
}

impl<'a> Reports<'a> {
    /// Reports under the secret of `reply`.
    pub(super) fn open(reply: &AttachReply, context: &'a Context) -> Result<Self, CliError> {
        let transport = Transport::new(&context.state.store_socket())?;
        Ok(Self {
            client: SupervisorClient::new(transport, reply.supervisor_secret.clone()),
            context,
            last: 0,
        })
    }

    /// Hands over the next report; its number makes it safe to repeat.
    pub(super) async fn report(&mut self, body: ReportBody) -> Result<Verdict, CliError> {
        self.last += 1;
        let report = Report { number: self.last, at: Timestamp::now(), body };
        let mut hosted = Vec::new();
        let mut verdict = self.client.report(&report).await;
        for _ in 0..TRIES {
            if !matches!(verdict, Err(ClientError::Unreachable { .. } | ClientError::Broken { .. })) {
                break;
            }
            tokio::time::sleep(PAUSE).await;
            hosted.extend(Opened::open(self.context).await);
            verdict = self.client.report(&report).await;
        }
        for store in hosted {
            store.close().await;
        }
        Ok(verdict?)
    }
}
