//! The supervisor plane: numbered reports up, the desired state down.

use std::time::Duration;

use reqwest::Method;

use super::{
    answer,
    error::ClientError,
    transport::{PROMPT, Transport},
};
use crate::{
    ids::Secret,
    protocol::{
        SUPERVISE_VERSION,
        query::OrdersQuery,
        supervise::{Orders, Report, Verdict},
    },
};

/// The store holds a question for orders for up to 25 s; the rest is for its answer.
const LONG_POLL: Duration = Duration::from_secs(40);

/// Speaks for the supervisor of one execution.
#[derive(Clone)]
pub struct SupervisorClient {
    transport: Transport,
    secret: Secret,
}

impl SupervisorClient {
    /// Speaks under `secret`.
    pub fn new(transport: Transport, secret: Secret) -> Self {
        Self { transport, secret }
    }

    /// Hands over one report. Its number makes it safe to repeat.
    pub async fn report(&self, report: &Report) -> Result<Verdict, ClientError> {
        let request = self.transport.post("/v1/supervise/report", SUPERVISE_VERSION, report)?.timeout(PROMPT);
        answer::json(self.transport.send(request.bearer_auth(self.secret.expose())).await?).await
    }

    /// What the store wants: at once where its level is not `seen`, else when that changes or after
    /// 25 s.
    pub async fn orders(&self, seen: u64) -> Result<Orders, ClientError> {
        let request = self
            .transport
            .request(Method::GET, "/v1/supervise/orders", SUPERVISE_VERSION)
            .query(&OrdersQuery { seen })
            .timeout(LONG_POLL);
        answer::json(self.transport.send(request.bearer_auth(self.secret.expose())).await?).await
    }
}
