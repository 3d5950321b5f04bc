//! A person's own MCP server, which an agent is given beside callbox's shim.

use serde::{Deserialize, Serialize};

/// One server. It holds names of variables and never their values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpServer {
    /// The name under which the agent program knows it.
    pub name: String,
    /// How it is reached.
    pub way: ServerWay,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum ServerWay {
    /// The agent program starts it and speaks with it over its standard streams.
    Command {
        /// A name on the PATH of the run, or an absolute path.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables whose values it is given.
        env: Vec<String>,
    },
    /// It listens there, for MCP over HTTP.
    Url {
        /// The address.
        url: String,
        /// The variable whose value goes along as its bearer token.
        bearer_env: Option<String>,
    },
}

impl McpServer {
    /// The names of the variables whose values it needs.
    pub fn variables(&self) -> impl Iterator<Item = &String> {
        let (several, one) = match &self.way {
            ServerWay::Command { env, .. } => (env.as_slice(), None),
            ServerWay::Url { bearer_env, .. } => (&[][..], bearer_env.as_ref()),
        };
        several.iter().chain(one)
    }
}
