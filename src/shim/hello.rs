//! Announcing that an agent connected.
//!
//! Agent programs end "well" without their tools, so the store wants to hear from the shim itself
//! that a client came as far as asking for them. The announcement never delays that client.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use rmcp::{RoleServer, service::RequestContext};

use super::store::Store;
use crate::protocol::agent::Hello;

const MAX_CHARACTERS: usize = 200;

/// Announces the client once.
#[derive(Default)]
pub(super) struct Announcement {
    made: AtomicBool,
}

impl Announcement {
    /// Begins to announce whoever made this request, unless somebody was announced already.
    pub(super) fn begin(&self, store: &Arc<Store>, context: &RequestContext<RoleServer>) {
        if self.made.swap(true, Ordering::Relaxed) {
            return;
        }
        let (store, hello) = (store.clone(), hello_of(context));
        tokio::spawn(async move {
            // The run is stopped by its supervisor when no hello arrives, which says more than a
            // line here could.
            let _ = store.hello(&hello).await;
        });
    }
}

fn hello_of(context: &RequestContext<RoleServer>) -> Hello {
    let (client, version) = match context.client_info() {
        Some(client) => (client.name, client.version),
        None => ("unknown".to_owned(), "unknown".to_owned()),
    };
    let protocol =
        context.protocol_version().map_or_else(|| "unknown".to_owned(), |version| version.to_string());
    Hello { client: shortened(&client), version: shortened(&version), protocol: shortened(&protocol) }
}

fn shortened(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(MAX_CHARACTERS).collect()
}
