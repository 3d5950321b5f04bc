//! The accept loops: from listening sockets to requests, until the reason to stop comes.
//!
//! The caller brings the sockets, the routes and the reason to stop. Nothing here knows a route.

use std::{ops::RangeInclusive, pin::pin, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{ConnectInfo, Request},
};
use futures::FutureExt as _;
use hyper::{
    body::Incoming,
    server::conn::http1,
    service::{Service as _, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{net::UnixStream, sync::Semaphore, task::JoinSet, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{guard::guarded, peer::Peer, sockets::Socket, stall::Stall};

/// The most a request's head may hold, in bytes.
const LONGEST_HEAD: usize = 64 << 10;
/// Between attempts to accept while the process has no descriptors left.
const ACCEPT_PAUSE: RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_secs(1);

/// What clients may take of the store.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// How long a request's head may take to arrive, and a connection may lie idle.
    head: Duration,
    /// How long a body may take to arrive: a client writes it in one go.
    body: Duration,
    /// How long a client may read nothing of its answer. A follower that was suspended longer connects
    /// again and is given what it missed.
    stall: Duration,
    /// How long somebody who has connected may take to ask for something once the store is to stop.
    first: Duration,
    /// How long requests may go on once the store is to stop. Long polls and event streams end by the
    /// same token and take none of it.
    drain: Duration,
    /// Connections per socket; further ones wait in the kernel's queue. Of each socket's own, so that
    /// agents cannot take the places of supervisors and people.
    connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(30),
            body: Duration::from_secs(10),
            stall: Duration::from_secs(60),
            first: Duration::from_millis(500),
            drain: Duration::from_secs(5),
            connections: 256,
        }
    }
}

/// One socket and what is served on it.
#[derive(Debug)]
pub struct Plane {
    /// Where clients connect.
    pub socket: Socket,
    /// What they find. Every request carries a `ConnectInfo<Arc<Peer>>`.
    pub routes: Router,
}

/// Serves until `stop`, then accepts no more, lets the requests that are being answered end, removes
/// the sockets and returns. Handlers that wait (long polls, event streams) must end on `stop` too;
/// whatever has not ended five seconds later is cut off.
pub async fn serve(planes: Vec<Plane>, stop: CancellationToken) {
    serve_within(planes, stop, Limits::default()).await;
}

async fn serve_within(planes: Vec<Plane>, stop: CancellationToken, limits: Limits) {
    let connections = TaskTracker::new();
    let cut = CancellationToken::new();
    // A caller that drops this future ends the connections with it.
    let _cut = cut.clone().drop_guard();
    let mut loops = JoinSet::new();
    for Plane { socket, routes } in planes {
        let life = Life { stop: stop.clone(), cut: cut.clone(), connections: connections.clone(), limits };
        loops.spawn(accept(socket, guarded(routes, limits.body), life));
    }
    // Each ends with its socket removed, which happens only on `stop`.
    loops.join_all().await;
    connections.close();
    if timeout(limits.drain, connections.wait()).await.is_err() {
        tracing::warn!(open = connections.len(), "requests were cut off at the end of the store");
        cut.cancel();
        connections.wait().await;
    }
}

/// What a connection's life depends on.
#[derive(Clone)]
struct Life {
    /// Ask for nothing more.
    stop: CancellationToken,
    /// End now.
    cut: CancellationToken,
    connections: TaskTracker,
    limits: Limits,
}

async fn accept(socket: Socket, routes: Router, life: Life) {
    let places = Arc::new(Semaphore::new(life.limits.connections));
    let mut pause = *ACCEPT_PAUSE.start();
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, socket.listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = life.stop.cancelled() => return accept_the_last(&socket, &routes, &life),
            next = next => next,
        };
        match accepted {
            Ok((stream, _)) => {
                pause = *ACCEPT_PAUSE.start();
                let connection = connection(stream, routes.clone(), life.clone());
                life.connections.spawn(async move {
                    connection.await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "a connection was not accepted");
                tokio::select! {
                    () = life.stop.cancelled() => return,
                    () = tokio::time::sleep(pause) => pause = (pause * 2).min(*ACCEPT_PAUSE.end()),
                }
            }
        }
    }
}

/// Whoever connected before the socket was gone may have asked already, and would else see the connection end without a
/// word: not even they could tell whether what they asked for was done.
fn accept_the_last(socket: &Socket, routes: &Router, life: &Life) {
    socket.remove();
    while let Some(Ok((stream, _))) = socket.listener.accept().now_or_never() {
        life.connections.spawn(connection(stream, routes.clone(), life.clone()));
    }
}

async fn connection(stream: UnixStream, routes: Router, life: Life) {
    let peer = match stream.peer_cred() {
        Ok(credentials) => Arc::new(Peer::look(&credentials)),
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "a peer has no credentials");
            return;
        }
    };
    let routes = TowerToHyperService::new(routes);
    let asked = CancellationToken::new();
    let asking = asked.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        asking.cancel();
        request.extensions_mut().insert(ConnectInfo(Arc::clone(&peer)));
        routes.call(request)
    });
    let mut served = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(life.limits.head)
            .max_buf_size(LONGEST_HEAD)
            .serve_connection(TokioIo::new(Stall::new(stream, life.limits.stall)), service)
    );
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = life.cut.cancelled() => return,
        () = life.stop.cancelled() => {
            tokio::select! {
                _ = served.as_mut() => return,
                () = asked.cancelled() => {}
                () = tokio::time::sleep(life.limits.first) => {}
                () = life.cut.cancelled() => return,
            }
            served.as_mut().graceful_shutdown();
            tokio::select! {
                ended = served.as_mut() => ended,
                () = life.cut.cancelled() => return,
            }
        }
    };
    if let Err(error) = ended {
        // Clients come and go as they like.
        tracing::debug!(error = &error as &dyn std::error::Error, "a connection ended early");
    }
}

#[cfg(test)]
mod tests;
