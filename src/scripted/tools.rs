//! The MCP client: starts the shim as its configuration says and calls its tools.

use std::{collections::BTreeMap, fs, path::Path, process::Stdio, time::Duration};

use rmcp::{
    RoleClient, ServiceExt as _,
    model::{CallToolRequestParams, ClientConfig, Implementation},
    service::RunningService,
};
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use tokio::process::{Child, Command};

/// A connected shim.
pub(super) struct Tools {
    service: RunningService<RoleClient, ClientConfig>,
    shim: Child,
}

/// What a tool answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) text: String,
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
    /// Starts the server `callbox` of the configuration file `path` and shakes hands with it.
    pub(super) async fn connect(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("no MCP configuration: {error}"))?;
        let configuration: Configuration = serde_json::from_str(&text)
            .map_err(|error| format!("the MCP configuration is wrong: {error}"))?;
        let server = configuration.mcp_servers.get("callbox").ok_or("no MCP server is called `callbox`")?;
        let mut shim = Command::new(&server.command)
            .args(&server.args)
            .envs(&server.env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("the MCP server could not be started: {error}"))?;
        let (Some(output), Some(input)) = (shim.stdout.take(), shim.stdin.take()) else {
            return Err("the MCP server has no pipes".to_owned());
        };
        let client = ClientConfig::new(
            rmcp::model::ClientCapabilities::default(),
            Implementation::new("callbox-scripted", env!("CARGO_PKG_VERSION")),
        );
        let service = client
            .serve((output, input))
            .await
            .map_err(|error| format!("the MCP server did not answer: {error}"))?;
        service.list_all_tools().await.map_err(|error| format!("the MCP server lists no tools: {error}"))?;
        Ok(Self { service, shim })
    }

    /// Calls `tool`.
    pub(super) async fn call(&mut self, tool: &str, arguments: Map<String, Json>) -> Result<Answer, String> {
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = self.service.call_tool(request).await.map_err(|error| error.to_string())?;
        let text = result.content.iter().filter_map(|block| block.as_text()).map(|text| text.text.clone());
        Ok(Answer { text: text.collect::<Vec<_>>().join("\n"), refused: result.is_error == Some(true) })
    }

    /// Closes the shim's input and waits a little for its end.
    pub(super) async fn close(mut self) {
        let _ = self.service.cancel().await;
        let _ = tokio::time::timeout(Duration::from_secs(2), self.shim.wait()).await;
    }
}
