//! What the shim serves: the handler that rmcp calls.

use std::{future::Future, panic::AssertUnwindSafe, sync::Arc};

use futures::FutureExt as _;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
        DiscoverResult, ErrorCode, Implementation, InitializeRequestParams, InitializeResult,
        ListToolsResult, MetaObject, PaginatedRequestParams, ProtocolVersion, ServerCapabilities,
        ServerConfig,
    },
    service::RequestContext,
};
use tokio::sync::Semaphore;

use super::{
    ask_name::AskName,
    foreign_name::foreign_name,
    hello::Announcement,
    key,
    opening::Opening,
    store::Store,
    tools::{instructions, tools},
    words::NotRecorded,
};
use crate::{protocol::agent::SignalRequest, vocabulary::Call};

/// How many calls may be open at once. An agent makes a few; a thousand would be a fault of its
/// client.
const MAX_OPEN_CALLS: usize = 64;

/// The MCP server.
pub(super) struct ShimServer {
    ask_as: AskName,
    store: Arc<Store>,
    opening: Opening,
    announcement: Announcement,
    slots: Semaphore,
}

impl ShimServer {
    /// Offers the four tools, `ask_user` as `ask_as`, and forwards calls to `store`.
    pub(super) fn new(ask_as: AskName, store: Store) -> Self {
        Self {
            ask_as,
            store: Arc::new(store),
            opening: Opening::default(),
            announcement: Announcement::default(),
            slots: Semaphore::new(MAX_OPEN_CALLS),
        }
    }

    async fn call(
        &self,
        tool: &'static str,
        request: CallToolRequestParams,
        key: &str,
    ) -> Result<String, NotRecorded> {
        let Ok(_slot) = self.slots.try_acquire() else { return Err(NotRecorded::Busy) };
        let arguments = request.arguments.unwrap_or_default();
        Call::parse(tool, &arguments).map_err(NotRecorded::Arguments)?;
        let signal = SignalRequest { tool: tool.to_owned(), arguments };
        self.store.record(&signal, key).await
    }
}

impl ServerHandler for ShimServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(implementation())
            .with_instructions(instructions(&self.ask_as))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        if self.opening.initialize().is_err() {
            return Err(ErrorData::invalid_request("the connection is already initialized", None));
        }
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        self.announcement.begin(&self.store, &context);
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), self.get_info()))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.opening.request();
        self.announcement.begin(&self.store, &context);
        let mut result = ListToolsResult::with_all_items(tools(&self.ask_as));
        result.meta = server_meta(&context);
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.opening.request();
        let name = request.name.clone();
        let Some(tool) = self.ask_as.tool(&name) else {
            return Err(ErrorData::invalid_params(
                format!("there is no tool `{}`", foreign_name(&name)),
                None,
            ));
        };
        // A client may know the tools from another time and never list them.
        self.announcement.begin(&self.store, &context);
        let key = key::for_call(&context.meta);
        let outcome = tokio::select! {
            biased;
            // rmcp sends nothing for a cancelled request, whatever is returned.
            () = context.ct.cancelled() => Err(NotRecorded::Leaving),
            outcome = guarded(self.call(tool, request, &key)) => outcome,
        };
        let mut result = match outcome {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(reason) => CallToolResult::error(vec![ContentBlock::text(reason.sentence(&name))]),
        };
        result.meta = server_meta(&context);
        Ok(result.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // Known methods arrive here when their parameters could not be read.
        Err(match request.method.as_str() {
            "tools/call" => ErrorData::invalid_params(
                "`tools/call` needs `name`, a string, and takes `arguments`, an object",
                None,
            ),
            "initialize" | "tools/list" | "ping" | "server/discover" => ErrorData::invalid_params(
                format!("the parameters of `{}` are not understood", request.method),
                None,
            ),
            stranger => {
                let message = format!("there is no method `{}`", foreign_name(stranger));
                ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
            }
        })
    }
}

/// A panic must not leave the call without an answer, nor take the other calls with it.
async fn guarded(call: impl Future<Output = Result<String, NotRecorded>>) -> Result<String, NotRecorded> {
    AssertUnwindSafe(call).catch_unwind().await.unwrap_or(Err(NotRecorded::Fault))
}

fn implementation() -> Implementation {
    Implementation::new("callbox", env!("CARGO_PKG_VERSION")).with_title("callbox")
}

/// From 2026-07-28 on every result says who made it.
fn server_meta(context: &RequestContext<RoleServer>) -> Option<MetaObject> {
    let is_modern =
        context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    let server = serde_json::to_value(implementation()).ok()?;
    is_modern.then(|| {
        let mut meta = MetaObject::default();
        meta.insert("io.modelcontextprotocol/serverInfo".to_owned(), server);
        meta
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_in_a_call_becomes_its_result() {
        let outcome = guarded(async { panic!("on purpose") }).await;
        assert!(matches!(outcome, Err(NotRecorded::Fault)));
    }
}
