//! Serving MCP on the standard streams until the client is gone.

use rmcp::{ServiceExt as _, service::ServerInitializeError};
use tokio::signal::unix::{SignalKind, signal};

use super::{
    ask_name::AskName, environment::Environment, leaving::Leaving, parent, server::ShimServer,
    stdio::StdioTransport, store::Store, talk::Talk,
};

/// The connection ended otherwise than by the client's going.
#[derive(Debug, thiserror::Error)]
#[error("the MCP connection failed")]
pub(super) struct ServeError;

/// Serves until the input ends, the parent is gone or nobody reads the answers.
pub(super) async fn serve(ask_as: AskName, talk: Talk) -> Result<(), ServeError> {
    // A terminal's Ctrl-C is meant for the agent; it ends its servers itself when it wants to. Held,
    // never looked at: that is how a signal is ignored in safe code.
    let _ignored = signal(SignalKind::interrupt());
    let leaving = Leaving::default();
    let gone = leaving.gone();
    tokio::spawn(async move {
        parent::is_gone().await;
        gone.cancel();
    });
    let transport = StdioTransport::open(leaving.gone(), talk);
    let outbox = transport.outbox();
    let store = Store::new(Environment::read(), leaving.clone());
    let server = ShimServer::new(ask_as, store);
    let connection = async {
        let outcome = match server.serve(transport).await {
            Ok(service) => service.waiting().await.map(drop).map_err(|_| ServeError),
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(_) => Err(ServeError),
        };
        outbox.is_empty().await;
        outcome
    };
    tokio::select! {
        outcome = connection => outcome,
        () = leaving.time_over() => Ok(()),
    }
}
