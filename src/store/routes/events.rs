//! Following what happens, as server-sent events.

use std::{collections::HashSet, convert::Infallible, time::Duration};

use axum::{
    extract::{Query, State},
    http::HeaderMap,
    response::sse::{Event as SseEvent, KeepAlive, Sse},
};
use futures::{Stream, stream};
use tokio::sync::watch;

use crate::{
    database::{
        Read,
        rows::{event, task},
    },
    ids::TaskNumber,
    protocol::{
        error::ApiError,
        events::Event,
        query::{Claim, EventsQuery},
    },
    store::{engine::Engine, failure::Failure, operator::Operator, scope::Following},
};

/// Events read at once.
const PAGE: u32 = 500;

/// One client that follows.
struct Follower {
    engine: Engine,
    trees: Vec<TaskNumber>,
    after: i64,
    page: std::vec::IntoIter<Event>,
    changes: watch::Receiver<u64>,
    /// Lets the followed trees be claimed while this client is there.
    _claim: Option<Following>,
}

pub(super) async fn follow(
    State(engine): State<Engine>,
    _: Operator,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<SseEvent, Infallible>>>, ApiError> {
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok());
    let wanted = query.tree.0;
    let trees = engine.read(move |read| roots(read, &wanted)).await?;
    let claim = match query.claim {
        Claim::Yes => Some(engine.scope().follow(trees.clone())),
        Claim::No => None,
    };
    engine.call_attention();
    let changes = engine.changes();
    let after = last.unwrap_or(query.after);
    let page = Vec::new().into_iter();
    let follower = Follower { engine, trees, after, page, changes, _claim: claim };
    let events = stream::unfold(follower, next);
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))))
}

fn roots(read: &Read<'_>, tasks: &[TaskNumber]) -> Result<Vec<TaskNumber>, Failure> {
    let root = |number: &TaskNumber| {
        let row = task::get(read, *number)?.ok_or_else(|| Failure::unknown(*number))?;
        Ok(row.root)
    };
    tasks.iter().map(root).collect()
}

async fn next(mut follower: Follower) -> Option<(Result<SseEvent, Infallible>, Follower)> {
    loop {
        if let Some(event) = follower.page.next() {
            let sent = SseEvent::default().id(event.seq.to_string()).event(&event.kind).json_data(&event);
            return Some((Ok(sent.ok()?), follower));
        }
        follower.changes.borrow_and_update();
        let (after, trees) = (follower.after, follower.trees.clone());
        let (seen, events) = follower.engine.read(move |read| page(read, after, &trees)).await.ok()?;
        let full = seen > follower.after;
        follower.after = seen;
        follower.page = events.into_iter();
        if full {
            continue;
        }
        tokio::select! {
            changed = follower.changes.changed() => changed.ok()?,
            () = follower.engine.stop().cancelled() => return None,
        }
    }
}

/// The next events of `trees` (of all tasks when empty), and how far was read.
fn page(read: &Read<'_>, after: i64, trees: &[TaskNumber]) -> Result<(i64, Vec<Event>), Failure> {
    let rows = event::after(read, after, PAGE)?;
    let seen = rows.last().map_or(after, |row| row.seq);
    let mut members = HashSet::new();
    for root in trees {
        members.extend(task::tree(read, *root)?.into_iter().map(|row| row.number));
    }
    let events = rows
        .into_iter()
        .filter(|row| trees.is_empty() || members.contains(&row.task))
        .map(|row| Event {
            seq: row.seq,
            at: row.at,
            task: row.task,
            execution: row.execution,
            kind: row.kind,
            text: row.text,
            actor: row.actor,
        })
        .collect();
    Ok((seen, events))
}
