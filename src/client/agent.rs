//! The agent plane: what a shim says under the token of one execution.

use reqwest::Method;

use super::{
    answer,
    error::ClientError,
    transport::{PROMPT, Transport},
};
use crate::{
    ids::Secret,
    protocol::{
        API_VERSION, IDEMPOTENCY_HEADER,
        agent::{Hello, RunIdentity, SignalReply, SignalRequest},
    },
};

/// Speaks for one execution.
#[derive(Clone)]
pub struct AgentClient {
    transport: Transport,
    token: Secret,
}

impl AgentClient {
    /// Speaks under `token`.
    pub fn new(transport: Transport, token: Secret) -> Self {
        Self { transport, token }
    }

    /// Records one tool call under `key` (1–200 visible ASCII characters). The same key returns the
    /// first result, so a call whose fate is unknown may be repeated with it.
    pub async fn signal(&self, signal: &SignalRequest, key: &str) -> Result<SignalReply, ClientError> {
        let request = self.transport.post("/v1/run/signals", API_VERSION, signal)?;
        let request = request.header(IDEMPOTENCY_HEADER, key).timeout(PROMPT);
        answer::json(self.transport.send(request.bearer_auth(self.token.expose())).await?).await
    }

    /// Announces that an MCP client connected. The answer's content does not matter.
    pub async fn hello(&self, hello: &Hello) -> Result<(), ClientError> {
        let request = self.transport.post("/v1/run/hello", API_VERSION, hello)?.timeout(PROMPT);
        self.transport.send(request.bearer_auth(self.token.expose())).await.map(drop)
    }

    /// Which run the token speaks for.
    pub async fn run(&self) -> Result<RunIdentity, ClientError> {
        let request = self.transport.request(Method::GET, "/v1/run", API_VERSION).timeout(PROMPT);
        answer::json(self.transport.send(request.bearer_auth(self.token.expose())).await?).await
    }
}
