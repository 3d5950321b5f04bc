//! The MCP client: starts the shim as its configuration says and calls its tools.

use std::{collections::BTreeMap, fs, path::Path, process::Stdio, time::Duration};

use rmcp::{
    RoleClient, ServiceExt as _,
    model::{CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, RequestMetaObject},
    service::{RunningService, ServiceError},
};
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use tokio::{
    process::{Child, Command},
    time::timeout,
};

use crate::vocabulary::SCRIPTED_CALL;

/// The name under which this client speaks.
const CLIENT: &str = "callbox-scripted";
/// The shim's name in the configuration.
const SERVER: &str = "callbox";
/// How long the shim may take until its tools are there; it answers within milliseconds.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the shim may take to end once its input has; then it is killed.
const LEAVING: Duration = Duration::from_secs(2);

/// A connected shim.
pub(super) struct Tools {
    service: RunningService<RoleClient, ClientConfig>,
    shim: Child,
}

/// What a tool answered.
#[derive(Debug)]
pub(super) struct Answer {
    /// Its texts, a line each.
    pub(super) text: String,
    /// Whether that is a refusal.
    pub(super) refused: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Configuration {
    mcp_servers: BTreeMap<String, Server>,
}

#[derive(Deserialize)]
struct Server {
    command: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

impl Tools {
    /// Starts the server `callbox` of the configuration file `path` and sees its tools.
    pub(super) async fn connect(path: &Path) -> Result<Self, String> {
        let server = server(path)?;
        match timeout(PATIENCE, Self::open(&server)).await {
            Ok(opened) => opened,
            Err(_) => Err(format!("the MCP server did not answer within {} s", PATIENCE.as_secs())),
        }
    }

    async fn open(server: &Server) -> Result<Self, String> {
        let mut shim = Command::new(&server.command)
            .args(&server.args)
            .envs(&server.env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("the MCP server `{}` could not be started: {error}", server.command))?;
        let (Some(output), Some(input)) = (shim.stdout.take(), shim.stdin.take()) else {
            return Err("the MCP server has no pipes".to_owned());
        };
        let client = ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new(CLIENT, env!("CARGO_PKG_VERSION")),
        );
        let service = client
            .serve((output, input))
            .await
            .map_err(|error| format!("the MCP server did not open the connection: {error}"))?;
        service.list_all_tools().await.map_err(|error| format!("the MCP server lists no tools: {error}"))?;
        Ok(Self { service, shim })
    }

    /// Calls `tool`, and names the call `id`. A call that the server refuses as a whole, such as one of an unknown tool, is an
    /// answer like one that the tool refuses; an error means that nothing can be called any more.
    pub(super) async fn call(
        &self,
        id: &str,
        tool: &str,
        arguments: Map<String, Json>,
    ) -> Result<Answer, String> {
        let mut request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let mut meta = RequestMetaObject::default();
        meta.insert(SCRIPTED_CALL.to_owned(), id.into());
        request.meta = Some(meta);
        match self.service.call_tool(request).await {
            Ok(result) => {
                let texts = result.content.iter().filter_map(|block| block.as_text());
                let text = texts.map(|text| text.text.as_str()).collect::<Vec<_>>().join("\n");
                Ok(Answer { text, refused: result.is_error == Some(true) })
            }
            Err(ServiceError::McpError(error)) => {
                Ok(Answer { text: error.message.into_owned(), refused: true })
            }
            Err(error) => Err(error.to_string()),
        }
    }

    /// Ends the shim's input and waits for its end.
    pub(super) async fn close(mut self) {
        let _ = self.service.cancel().await;
        if timeout(LEAVING, self.shim.wait()).await.is_err() {
            let _ = self.shim.kill().await;
        }
    }
}

/// The server `callbox` of a configuration file. What is wrong with the file is not shown: it contains
/// the token.
fn server(path: &Path) -> Result<Server, String> {
    let text = fs::read_to_string(path)
        .map_err(|error| format!("the MCP configuration could not be read: {error}"))?;
    let configuration: Configuration = serde_json::from_str(&text).map_err(|error| {
        format!("the MCP configuration names no servers (line {}, column {})", error.line(), error.column())
    })?;
    let mut servers = configuration.mcp_servers;
    servers.remove(SERVER).ok_or_else(|| format!("the MCP configuration names no server `{SERVER}`"))
}
