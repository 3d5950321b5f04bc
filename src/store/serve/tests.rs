//! Toy routes on real sockets, met by well-behaved and by hostile clients.

use std::convert::Infallible;

use axum::{
    Json,
    body::{Body, Bytes},
    routing::{get, post},
};
use futures::stream;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    sync::mpsc,
    task::JoinHandle,
};

use super::*;
use crate::{
    layout::StateDir,
    protocol::{
        MAX_BODY_BYTES,
        error::{ApiError, ErrorCode},
    },
    store::{lock::Locked, sockets::Sockets, state_dir::prepare},
};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Toy {
    name: String,
}

/// A store of toy routes.
struct Store {
    state: StateDir,
    stop: CancellationToken,
    served: JoinHandle<()>,
    /// Told when a request to `/v1/wait` or `/v1/endless` has begun, and when its answer is dropped.
    news: mpsc::UnboundedReceiver<&'static str>,
    _lock: Locked,
    _folder: TempDir,
}

impl Store {
    fn open(limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let state = prepare(folder.path()).unwrap();
        let lock = Locked::take(&state).unwrap();
        let Sockets { agent, store } = Sockets::bind(&state, &lock).unwrap();
        let stop = CancellationToken::new();
        let (tell, news) = mpsc::unbounded_channel();
        let planes = vec![
            Plane { socket: agent, routes: Router::new().route("/v1/toy", get(|| async { "agent" })) },
            Plane { socket: store, routes: toys(&stop, &tell) },
        ];
        let served = tokio::spawn(serve_within(planes, stop.clone(), limits));
        Self { state, stop, served, news, _lock: lock, _folder: folder }
    }

    async fn connect(&self) -> UnixStream {
        UnixStream::connect(self.state.store_socket()).await.unwrap()
    }

    /// Writes `request` and returns all that comes until the store closes the connection.
    async fn exchange(&self, request: &str) -> String {
        let mut stream = self.connect().await;
        stream.write_all(request.as_bytes()).await.unwrap();
        rest(&mut stream).await
    }

    async fn refused(&self, request: &str) -> (u16, ApiError) {
        let answer = self.exchange(request).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer:?}"));
        assert!(head.contains("callbox-version: 1"), "{head}");
        assert!(head.contains("content-type: application/json"), "{head}");
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let error: ApiError = serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer:?}"));
        assert_eq!(error.code.status(), status);
        (status, error)
    }

    async fn heard(&mut self, news: &str) {
        assert_eq!(soon(self.news.recv()).await, Some(news));
    }
}

/// Says when it is dropped.
struct Told(mpsc::UnboundedSender<&'static str>);

impl Drop for Told {
    fn drop(&mut self) {
        let _ = self.0.send("dropped");
    }
}

fn toys(stop: &CancellationToken, tell: &mpsc::UnboundedSender<&'static str>) -> Router {
    let (stop, tell) = (stop.clone(), tell.clone());
    let wait = {
        let tell = tell.clone();
        move || async move {
            let _ = tell.send("begun");
            stop.cancelled().await;
            "stopping"
        }
    };
    let endless = move || async move {
        let _ = tell.send("begun");
        let told = Told(tell);
        let chunk = Bytes::from(vec![b'x'; 1 << 16]);
        Body::from_stream(stream::repeat_with(move || {
            let _ = &told;
            Ok::<_, Infallible>(chunk.clone())
        }))
    };
    Router::new()
        .route("/v1/toy", post(|Json(toy): Json<Toy>| async move { toy.name }))
        .route("/v1/panic", get(|| async { panic!("expected by the test") as &str }))
        .route("/v1/refused", get(|| async { ApiError::new(ErrorCode::CapReached, "enough").hinted("stop") }))
        .route("/v1/wait", get(wait))
        .route("/v1/endless", get(endless))
        .route("/v1/never", get(|| async { std::future::pending::<&str>().await }))
}

async fn soon<T>(future: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(20), future).await.expect("it should have happened within 20 s")
}

async fn rest(stream: &mut UnixStream) -> String {
    let mut answer = Vec::new();
    // A connection that was cut off gives an error after what it gave before.
    let _ = soon(stream.read_to_end(&mut answer)).await;
    String::from_utf8(answer).unwrap()
}

const HEADERS: &str = "host: callbox\r\ncallbox-version: 1\r\nconnection: close\r\n";

fn get_request(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\n{HEADERS}\r\n")
}

fn post_request(path: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\n{HEADERS}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

fn short() -> Limits {
    let moment = Duration::from_millis(100);
    Limits { head: moment, body: moment, stall: moment, drain: moment, ..Limits::default() }
}

#[tokio::test]
async fn each_socket_serves_its_own_routes_and_every_answer_names_the_version() {
    let store = Store::open(Limits::default());
    let answer = store.exchange(&post_request("/v1/toy", r#"{"name": "bear"}"#)).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("bear"), "{answer}");
    assert!(answer.contains("callbox-version: 1"), "{answer}");
    let client = reqwest::Client::builder().unix_socket(store.state.agent_socket()).build().unwrap();
    let request = client.get("http://callbox/v1/toy").header(crate::protocol::VERSION_HEADER, 1);
    assert_eq!(request.send().await.unwrap().text().await.unwrap(), "agent");
    let other = client.get("http://callbox/v1/wait").header(crate::protocol::VERSION_HEADER, 1);
    assert_eq!(other.send().await.unwrap().status(), 404);
}

#[tokio::test]
async fn every_refusal_is_an_api_error_whoever_made_it() {
    let store = Store::open(Limits::default());
    let (_, error) = store.refused(&get_request("/v1/refused")).await;
    assert_eq!(error, ApiError::new(ErrorCode::CapReached, "enough").hinted("stop"));
    let (_, error) = store.refused(&get_request("/v1/nowhere")).await;
    assert_eq!(error, ApiError::new(ErrorCode::NotFound, "there is no route `GET /v1/nowhere`"));
    let (_, error) = store.refused(&get_request("/v1/toy")).await;
    assert_eq!(error, ApiError::new(ErrorCode::NotFound, "there is no route `GET /v1/toy`"));
    for (body, told) in [
        (r#"{"nom": "bear"}"#, "unknown field `nom`"),
        (r#"{"name": 5}"#, "name: invalid type"),
        ("{", "EOF while parsing"),
        ("", "EOF while parsing"),
    ] {
        let (_, error) = store.refused(&post_request("/v1/toy", body)).await;
        assert_eq!(error.code, ErrorCode::Invalid, "{body}");
        assert!(error.message.starts_with("`POST /v1/toy` does not take this: "), "{}", error.message);
        assert!(error.message.contains(told), "{}", error.message);
    }
}

#[tokio::test]
async fn a_handler_that_panics_is_answered_and_the_store_lives_on() {
    let store = Store::open(Limits::default());
    let (status, error) = store.refused(&get_request("/v1/panic")).await;
    assert_eq!((status, error.code), (500, ErrorCode::Internal));
    assert!(!error.message.contains("expected by the test"));
    let answer = store.exchange(&post_request("/v1/toy", r#"{"name": "bear"}"#)).await;
    assert!(answer.ends_with("bear"), "{answer}");
}

#[tokio::test]
async fn browsers_and_requests_for_other_hosts_are_refused() {
    let store = Store::open(Limits::default());
    let get = |target: &str, headers: &str| {
        format!("GET {target} HTTP/1.1\r\ncallbox-version: 1\r\nconnection: close\r\n{headers}\r\n")
    };
    for (target, headers) in [
        ("/v1/refused", "host: callbox\r\norigin: https://evil.example\r\n"),
        ("/v1/refused", "host: callbox\r\norigin: null\r\n"),
        ("/v1/refused", "host: callbox\r\nreferer: http://callbox/\r\n"),
        ("/v1/refused", "host: callbox\r\nsec-fetch-site: none\r\n"),
        ("/v1/refused", "host: evil.example\r\n"),
        ("/v1/refused", "host: callbox:80\r\n"),
        ("/v1/refused", "host: localhost\r\n"),
        ("/v1/refused", "host: callbox\r\nhost: evil.example\r\n"),
        ("/v1/refused", ""),
        ("http://evil.example/v1/refused", "host: callbox\r\n"),
    ] {
        let (_, error) = store.refused(&get(target, headers)).await;
        assert_eq!(error.code, ErrorCode::ForbiddenOrigin, "{target} {headers:?}");
        assert!(error.hint.is_some());
    }
    let (_, error) = store.refused(&get("/v1/refused", "host: callbox\r\n")).await;
    assert_eq!(error.code, ErrorCode::CapReached);
}

#[tokio::test]
async fn a_client_of_another_version_is_told_both() {
    let store = Store::open(Limits::default());
    for version in ["", "callbox-version: 2\r\n", "callbox-version: x\r\n", "callbox-version: \u{e9}\r\n"] {
        let request =
            format!("GET /v1/refused HTTP/1.1\r\nhost: callbox\r\nconnection: close\r\n{version}\r\n");
        let (_, error) = store.refused(&request).await;
        assert_eq!(error.code, ErrorCode::Version, "{version:?}");
        assert!(error.hint.unwrap().contains("callbox-version: 1"));
    }
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_refused_with_the_limit_however_it_is_sent() {
    let store = Store::open(Limits::default());
    let body = "x".repeat(MAX_BODY_BYTES + 1);
    let chunked = format!(
        "POST /v1/toy HTTP/1.1\r\n{HEADERS}transfer-encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
        body.len()
    );
    for request in [post_request("/v1/toy", &body), chunked] {
        let mut stream = store.connect().await;
        // The store may close before it has read all of it.
        let _ = stream.write_all(request.as_bytes()).await;
        let answer = rest(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
        assert!(answer.contains("too_large") && answer.contains(&MAX_BODY_BYTES.to_string()), "{answer}");
    }
    let name = "x".repeat(MAX_BODY_BYTES - r#"{"name":""}"#.len());
    let answer = store.exchange(&post_request("/v1/toy", &format!(r#"{{"name":"{name}"}}"#))).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{}", &answer[..200]);
}

#[tokio::test]
async fn a_client_that_does_not_go_on_is_cut_off() {
    let store = Store::open(short());
    let mut idle = store.connect().await;
    let mut half = store.connect().await;
    half.write_all(b"GET /v1/refused HTTP/1.1\r\nhost: call").await.unwrap();
    assert_eq!(rest(&mut idle).await, "");
    rest(&mut half).await;
    let store = Store::open(Limits { head: Duration::from_secs(20), ..short() });
    let mut body = store.connect().await;
    let request = post_request("/v1/toy", &"x".repeat(1000));
    body.write_all(&request.as_bytes()[..request.len() - 500]).await.unwrap();
    let answer = rest(&mut body).await;
    assert!(answer.contains("the body did not arrive within"), "{answer}");
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_cut_off() {
    let mut store = Store::open(Limits { head: Duration::from_secs(20), ..short() });
    let mut stream = store.connect().await;
    stream.write_all(get_request("/v1/endless").as_bytes()).await.unwrap();
    store.heard("begun").await;
    store.heard("dropped").await;
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_for_a_place() {
    let store = Store::open(Limits { connections: 2, head: Duration::from_secs(1), ..Limits::default() });
    let _one = store.connect().await;
    let _two = store.connect().await;
    // Waits in the kernel's queue until one of the idle ones is cut off.
    let (_, error) = store.refused(&get_request("/v1/refused")).await;
    assert_eq!(error.code, ErrorCode::CapReached);
}

#[tokio::test]
async fn at_the_end_requests_are_answered_and_the_sockets_are_gone() {
    let mut store = Store::open(Limits { drain: Duration::from_secs(60), ..Limits::default() });
    let mut idle = store.connect().await;
    let mut waiting = store.connect().await;
    waiting.write_all(get_request("/v1/wait").as_bytes()).await.unwrap();
    store.heard("begun").await;
    store.stop.cancel();
    let answer = rest(&mut waiting).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("stopping"), "{answer}");
    assert_eq!(rest(&mut idle).await, "");
    soon(store.served).await.unwrap();
    assert!(!store.state.store_socket().exists());
    assert!(!store.state.agent_socket().exists());
}

/// One is waited for, the other stands in the kernel's queue.
#[tokio::test]
async fn whoever_connected_before_the_end_is_still_answered() {
    let patient = Duration::from_secs(60);
    let limits = Limits { connections: 1, drain: patient, first: patient, ..Limits::default() };
    let store = Store::open(limits);
    let (mut idle, mut queued) = (store.connect().await, store.connect().await);
    store.stop.cancel();
    for stream in [&mut idle, &mut queued] {
        stream.write_all(get_request("/v1/refused").as_bytes()).await.unwrap();
        let answer = rest(stream).await;
        assert!(answer.contains("cap_reached"), "{answer:?}");
    }
    soon(store.served).await.unwrap();
}

#[tokio::test]
async fn a_request_that_never_ends_does_not_keep_the_store() {
    let mut store = Store::open(Limits { head: Duration::from_secs(20), ..short() });
    let mut never = store.connect().await;
    never.write_all(get_request("/v1/never").as_bytes()).await.unwrap();
    let mut endless = store.connect().await;
    endless.write_all(get_request("/v1/endless").as_bytes()).await.unwrap();
    store.heard("begun").await;
    store.stop.cancel();
    soon(store.served).await.unwrap();
    assert_eq!(rest(&mut never).await, "");
}

#[tokio::test]
async fn a_store_that_is_dropped_answers_nobody_any_more() {
    let mut store = Store::open(Limits::default());
    let mut waiting = store.connect().await;
    waiting.write_all(get_request("/v1/wait").as_bytes()).await.unwrap();
    store.heard("begun").await;
    store.served.abort();
    assert_eq!(rest(&mut waiting).await, "");
    assert!(store.served.await.unwrap_err().is_cancelled());
    assert!(!store.state.store_socket().exists());
}
