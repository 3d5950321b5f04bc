//! What every request must satisfy before a route sees it.
//!
//! The sockets are no secret from the owner's other programs: a browser behind a proxy to the socket,
//! a client of another version, a handler that panics and a body that never ends are met here.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request, State},
    http::{HeaderMap, HeaderValue, Uri, header},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse as _, Response},
};
use futures::{FutureExt as _, StreamExt as _};
use tokio::time::timeout;
use tracing::{Instrument as _, field};

use super::{
    api_error::{too_large, translated},
    peer::Peer,
};
use crate::protocol::{
    API_VERSION, HOST, MAX_BODY_BYTES, SUPERVISE_VERSION, VERSION_HEADER,
    error::{ApiError, ErrorCode},
};

/// The routes whose version is [`SUPERVISE_VERSION`].
const SUPERVISE: &str = "/v1/supervise/";

/// Wraps a socket's routes, which then answer nothing but themselves or an `ApiError`. To be applied
/// once, over all routes of the socket. A body may take `body_patience` to arrive.
pub(super) fn guarded(routes: Router, body_patience: Duration) -> Router {
    // One layer for all of it: axum puts each into a box of its own, which is made anew for every request.
    routes.layer(from_fn_with_state(body_patience, guard))
}

async fn guard(State(patience): State<Duration>, request: Request, next: Next) -> Response {
    let (method, uri) = (request.method().clone(), request.uri().clone());
    // Whoever finds out for which execution the request is says so.
    let span = tracing::info_span!("request", %method, path = uri.path(), execution = field::Empty);
    let contained =
        AssertUnwindSafe(met(patience, request, next)).catch_unwind().instrument(span.clone()).await;
    // A panic is the request's own: the store lives on.
    let response = contained.unwrap_or_else(|_| {
        span.in_scope(|| tracing::error!("a handler panicked"));
        ApiError::new(ErrorCode::Internal, "a fault of callbox stopped the request").into_response()
    });
    translated(response, &method, &uri).await
}

async fn met(patience: Duration, request: Request, next: Next) -> Response {
    let read = match admit(&request) {
        Ok(()) => read_whole(patience, request).await,
        Err(error) => Err(error),
    };
    match read {
        Ok(request) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

fn admit(request: &Request) -> Result<(), ApiError> {
    let peer = request.extensions().get::<ConnectInfo<Arc<Peer>>>();
    check_user(peer.map(|ConnectInfo(peer)| peer.as_ref()))?;
    check_origin(request.uri(), request.headers())?;
    check_version(request.uri().path(), request.headers())
}

/// Reads the body before the route runs, so that no route waits for a client and none can forget the
/// limit.
async fn read_whole(patience: Duration, request: Request) -> Result<Request, ApiError> {
    let (parts, body) = request.into_parts();
    let read = timeout(patience, bytes(body)).await.map_err(|_| {
        let message = format!("the body did not arrive within {} seconds", patience.as_secs());
        ApiError::new(ErrorCode::Invalid, message)
    })?;
    Ok(Request::from_parts(parts, Body::from(read?)))
}

async fn bytes(body: Body) -> Result<Vec<u8>, ApiError> {
    let mut stream = body.into_data_stream();
    let mut read = Vec::new();
    while let Some(part) = stream.next().await {
        let part = part.map_err(|_| ApiError::new(ErrorCode::Invalid, "the body broke off"))?;
        if read.len() + part.len() > MAX_BODY_BYTES {
            return Err(too_large());
        }
        read.extend_from_slice(&part);
    }
    Ok(read)
}

/// The modes of socket and folder keep other users out; root and a shared folder do not obey them.
fn check_user(peer: Option<&Peer>) -> Result<(), ApiError> {
    let owner = rustix::process::geteuid().as_raw();
    match peer {
        Some(peer) if peer.uid == owner => Ok(()),
        Some(peer) => {
            let message =
                format!("this store serves user {owner} alone, and the request is user {}'s", peer.uid);
            Err(ApiError::new(ErrorCode::ForbiddenPeer, message).hinted("run callbox as that user"))
        }
        None => Err(ApiError::new(ErrorCode::ForbiddenPeer, "the peer is not known")),
    }
}

/// Refuses what a browser sends, whichever page made it, and what was meant for another server.
fn check_origin(uri: &Uri, headers: &HeaderMap) -> Result<(), ApiError> {
    let refused = |message: &str| {
        Err(ApiError::new(ErrorCode::ForbiddenOrigin, message)
            .hinted("talk to the socket directly, with the command line or `curl --unix-socket`"))
    };
    let browser = [header::ORIGIN.as_str(), header::REFERER.as_str(), "sec-fetch-site", "sec-fetch-mode"];
    if let Some(name) = browser.into_iter().find(|name| headers.contains_key(*name)) {
        return refused(&format!("requests with the header `{name}` come from browsers and are refused"));
    }
    let mut hosts = headers.get_all(header::HOST).iter();
    let named = (hosts.next().map(HeaderValue::as_bytes), hosts.next());
    let meant = uri.authority().is_none_or(|authority| authority.as_str() == HOST);
    if named != (Some(HOST.as_bytes()), None) || !meant {
        return refused(&format!("the request is for another host than `{HOST}`"));
    }
    Ok(())
}

fn check_version(path: &str, headers: &HeaderMap) -> Result<(), ApiError> {
    let known = if path.starts_with(SUPERVISE) {
        SUPERVISE_VERSION.saturating_sub(1).max(1)..=SUPERVISE_VERSION
    } else {
        API_VERSION..=API_VERSION
    };
    let given = headers.get(VERSION_HEADER).and_then(|value| value.to_str().ok());
    if given.and_then(|text| text.parse::<u32>().ok()).is_some_and(|version| known.contains(&version)) {
        return Ok(());
    }
    let given = given.map_or_else(|| "no version".to_owned(), |text| format!("version `{text}`"));
    let current = known.end();
    Err(ApiError::new(
        ErrorCode::Version,
        format!(
            "the request speaks {given}, and this store (callbox {}) version `{current}`",
            env!("CARGO_PKG_VERSION")
        ),
    )
    .hinted(format!("use the same callbox as the store, or send `{VERSION_HEADER}: {current}`")))
}
