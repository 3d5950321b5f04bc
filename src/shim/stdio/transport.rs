//! The transport that rmcp serves: lines in, lines out.

use std::{convert::Infallible, future::Future};

use rmcp::{
    RoleServer,
    model::{
        ClientNotification, ClientRequest, ErrorCode, GetMeta as _, JsonRpcMessage, ProtocolVersion,
        RequestId, ServerJsonRpcMessage,
    },
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio_util::sync::CancellationToken;

use super::{
    input::Input,
    lines::{Line, LineCutter},
    open_ids::OpenIds,
    outbox::Outbox,
    output::Output,
    reading::{Reading, error, read},
};
use crate::shim::talk::Talk;

/// Read at once. More than nearly every message has; whatever is larger costs as many reads, and the memory
/// of a larger buffer would be every shim's.
const CHUNK_BYTES: usize = 8 << 10;

/// MCP over the process's standard streams.
pub(in crate::shim) struct StdioTransport {
    input: Input,
    /// What was read last, and how much of it is cut already.
    chunk: Vec<u8>,
    cut: usize,
    cutter: LineCutter,
    /// The input's end was read.
    ended: bool,
    outbox: Outbox,
    open: OpenIds,
    /// Whether rmcp has opened the connection. Until then it ends on anything but a request, so that
    /// one probe, stray or notification would cost the agent its tools.
    opened: bool,
    /// Set off here at the end of input and when nobody reads the output; ends the reading when set
    /// off elsewhere.
    gone: CancellationToken,
    talk: Talk,
}

impl StdioTransport {
    /// Takes the process's standard streams. To be called once, inside the runtime.
    pub(in crate::shim) fn open(gone: CancellationToken, talk: Talk) -> Self {
        Self {
            input: Input::open(),
            chunk: Vec::new(),
            cut: 0,
            cutter: LineCutter::default(),
            ended: false,
            outbox: Outbox::to(Output::open(), gone.clone()),
            open: OpenIds::default(),
            opened: false,
            gone,
            talk,
        }
    }

    /// Where its answers wait to be written.
    pub(in crate::shim) fn outbox(&self) -> Outbox {
        self.outbox.clone()
    }

    /// The next line; `None` at the end. Dropping the future loses nothing.
    async fn line(&mut self) -> Option<Line> {
        loop {
            if self.cut < self.chunk.len() {
                let (taken, line) = self.cutter.take(&self.chunk[self.cut..]);
                self.cut += taken;
                if line.is_some() {
                    return line;
                }
            }
            if self.ended {
                return self.cutter.finish();
            }
            let mut chunk = vec![0; CHUNK_BYTES];
            let read = self.input.read(&mut chunk).await;
            chunk.truncate(read.unwrap_or(0));
            self.ended = chunk.is_empty();
            (self.chunk, self.cut) = (chunk, 0);
        }
    }

    /// What of a line goes to the server; its refusal is answered here.
    fn admit(&mut self, line: &Line) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = match read(line) {
            Reading::Message(message) => *message,
            Reading::Nothing => return None,
            Reading::Refused(answers) => {
                for answer in &answers {
                    self.outbox.put(answer);
                }
                return None;
            }
            Reading::Unanswerable(what) => {
                self.talk.line(&format!("passed over {what}"));
                return None;
            }
        };
        match &message {
            JsonRpcMessage::Request(request) => {
                if self.open.begin(&request.id).is_err() {
                    let text = "a request with this id is open or was cancelled";
                    let id = Some(request.id.clone());
                    self.outbox.put(&error(id, ErrorCode::INVALID_REQUEST, text));
                    return None;
                }
                self.opened |= opens(&request.request);
            }
            _ if !self.opened => {
                self.talk.line("passed over a message before the connection was opened");
                return None;
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.open.cancelled(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }
}

impl Transport<RoleServer> for StdioTransport {
    type Error = Infallible;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        if let Some(id) = answered(&message) {
            self.open.answered(id);
        }
        self.outbox.put(&message);
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let gone = self.gone.clone();
        let next = async {
            loop {
                self.outbox.has_room().await;
                let line = self.line().await?;
                if let Some(message) = self.admit(&line) {
                    return Some(message);
                }
            }
        };
        let message = tokio::select! {
            message = next => message,
            () = gone.cancelled() => None,
        };
        if message.is_none() {
            gone.cancel();
        }
        message
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        self.outbox.is_empty().await;
        Ok(())
    }
}

fn answered(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    }
}

/// Whether rmcp takes `request` as the opening of a connection of either era (rmcp 3.11.0,
/// `serve_server_with_ct_inner`): `initialize`, or any request but a probe that says which version it
/// speaks.
fn opens(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let version = meta.protocol_version();
            meta.client_capabilities().is_some()
                && version.is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}
