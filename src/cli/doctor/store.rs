//! The store: its directory, its lock, its database, its sockets.

use super::finding::Finding;
use crate::{
    cli::{context::Context, opened::Opened},
    client::{AgentClient, ClientError, Transport},
    ids::Secret,
    protocol::error::ErrorCode,
};

/// Opens the store or reaches the one that holds the directory, and knocks at both sockets. Opening
/// one writes its new generation into the database, so that a full or read-only disk is found.
pub(crate) async fn check_store(context: &Context) -> Vec<Finding> {
    let root = context.state.root().display().to_string();
    let store = match Opened::open(context).await {
        Ok(store) => store,
        Err(error) => {
            let message = format!("{root}: {}", error.sentence());
            let hint = error.hints().first().map(|hint| (*hint).to_owned());
            let hint =
                hint.unwrap_or_else(|| "name another with `--state DIR` or in CALLBOX_STATE".to_owned());
            return vec![Finding::fail("store", message, hint)];
        }
    };
    let mut findings = vec![match store.operator().status().await {
        Ok(status) => {
            let how = if status.resident { "held by `callbox serve`" } else { "opened for a command" };
            Finding::ok(
                "store",
                format!("{root}: {how}, process {}, generation {}", status.pid, status.generation),
            )
        }
        Err(error) => Finding::fail("store", format!("{root}: {error}"), "look at its log"),
    }];
    findings.push(agent_socket(context).await);
    store.close().await;
    findings
}

/// The agent plane must answer, and must know nobody without a token.
async fn agent_socket(context: &Context) -> Finding {
    let socket = context.state.agent_socket();
    let answer = match Transport::new(&socket) {
        Ok(transport) => AgentClient::new(transport, Secret::mint()).run().await,
        Err(error) => Err(error),
    };
    match answer {
        Err(ClientError::Refused(refusal)) if refusal.code == ErrorCode::Unauthorized => {
            Finding::ok("sockets", "both answer, and the agents' refuses a token it does not know")
        }
        Ok(_) => Finding::fail("sockets", "the agents' socket took an unknown token", "report this fault"),
        Err(error) => Finding::fail(
            "sockets",
            format!("{}: {error}", socket.display()),
            "look for another process that uses the state directory",
        ),
    }
}
