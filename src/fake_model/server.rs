//! The one route of the server: every request is kept, and answered in the dialect of its path.

use std::{future, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri},
    response::{IntoResponse as _, Response},
    routing::any,
};
use serde_json::Value;

use super::{
    Refusal, Request, Shared,
    choose::{Reply, reply},
    dialect::{Dialect, aside, asked_at},
};

/// The routes. Whatever is asked beyond the dialects is not found, and kept too.
pub(super) fn routes(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", any(|| async { StatusCode::OK }))
        .fallback(answer)
        .layer(DefaultBodyLimit::disable())
        .with_state(shared)
}

async fn answer(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let path = uri.path().to_owned();
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let request = Request { path, headers, body };
    let (number, asked) = shared.keep(request.clone());
    match asked_at(&request.path) {
        // Whoever would rather speak over a WebSocket is told to do without.
        Some(_) if request.headers.contains_key("upgrade") => StatusCode::UPGRADE_REQUIRED.into_response(),
        Some(dialect) => turn(&shared, dialect, &request, number, asked).await,
        None => aside(&request.path)
            .map_or_else(|| StatusCode::NOT_FOUND.into_response(), |said| axum::Json(said).into_response()),
    }
}

async fn turn(
    shared: &Shared,
    dialect: &dyn Dialect,
    request: &Request,
    number: usize,
    asked: usize,
) -> Response {
    let mut due = reply(&shared.script, request, asked);
    while let Reply::Once(gate, step) = due {
        while !gate.exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        due = *step;
    }
    match due {
        Reply::Never | Reply::Once(..) => future::pending().await,
        Reply::Refused(refusal) => refused(dialect, refusal),
        Reply::Said(speech) => dialect.turn(request, number, &speech),
    }
}

fn refused(dialect: &dyn Dialect, refusal: Refusal) -> Response {
    let body = dialect.refusal(refusal.status, &refusal.kind, &refusal.message, &refusal.more);
    let mut response = axum::Json(body).into_response();
    *response.status_mut() =
        StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in refusal.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
