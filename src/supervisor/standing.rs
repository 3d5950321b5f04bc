//! How this run stands with the store: what the store wants, or since when it is away.

use std::{error::Error, sync::Arc};

use tokio::{
    sync::watch,
    time::{Duration, Instant, sleep},
};

use super::refusal::{Pauses, lasting};
use crate::{client::SupervisorClient, process::alive::Held, protocol::supervise::Orders};

/// A level, replaced whenever it changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Standing {
    /// What the store wanted when it was last heard.
    pub(super) orders: Option<Orders>,
    /// Since when nothing is heard of it; absent while it answers.
    pub(super) away_since: Option<Instant>,
    /// Whether the store knows this run no longer.
    pub(super) disowned: bool,
}

/// Asks for orders for ever and keeps `standing` at what was last heard. Ends only when the store
/// refuses for good, or when there will never be one again because the state directory was removed.
pub(super) async fn follow_orders(
    client: SupervisorClient,
    standing: watch::Sender<Standing>,
    alive: Arc<Held>,
) {
    let mut seen = 0;
    let mut pauses = Pauses::new();
    loop {
        match client.orders(seen).await {
            Ok(orders) => {
                if orders.level == seen {
                    // A store that answers at once and says nothing new must not be asked at once.
                    sleep(Duration::from_millis(20)).await;
                }
                seen = orders.level;
                pauses = Pauses::new();
                standing.send_if_modified(|standing| {
                    let heard = Standing { orders: Some(orders), ..Standing::default() };
                    let modified = *standing != heard;
                    *standing = heard;
                    modified
                });
            }
            Err(error) => {
                if let Some(refusal) = lasting(&error) {
                    tracing::warn!(%refusal, "the store has no orders for this run any more");
                    standing.send_modify(|standing| standing.disowned = true);
                    return;
                }
                if alive.is_removed() {
                    tracing::warn!("the state directory was removed, and with it all that this run is for");
                    standing.send_modify(|standing| standing.disowned = true);
                    return;
                }
                standing.send_if_modified(|standing| {
                    let first = standing.away_since.is_none();
                    if first {
                        tracing::warn!(%error, reason = error.source(), "the store is away");
                    }
                    standing.away_since.get_or_insert_with(Instant::now);
                    first
                });
                sleep(pauses.next()).await;
            }
        }
    }
}
