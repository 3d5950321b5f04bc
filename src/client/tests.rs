//! The client against a socket that answers with given bytes: what it sends, and what it makes of
//! every way an answer can come or fail to come.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{UnixListener, UnixStream},
    task::JoinHandle,
};

use super::*;
use crate::{
    ids::{ExecutionNumber, Secret, TaskNumber},
    protocol::{
        MAX_BODY_BYTES,
        agent::{SignalReply, SignalRequest},
        error::ErrorCode,
        query::{Claim, EventsQuery, LogKind, LogQuery, Trees},
    },
};

/// Answers each connection that sends a request with the next of `answers` and closes it; gives back
/// the requests.
fn serve(socket: &Path, answers: Vec<Vec<u8>>) -> JoinHandle<Vec<String>> {
    let listener = UnixListener::bind(socket).unwrap();
    tokio::spawn(async move {
        let mut requests = Vec::new();
        let mut answers = answers.into_iter();
        while answers.len() > 0 {
            let (mut connection, _) = listener.accept().await.unwrap();
            let Some(request) = read_request(&mut connection).await else { continue };
            requests.push(request);
            connection.write_all(&answers.next().unwrap()).await.unwrap();
        }
        requests
    })
}

/// One request with its body; `None` for a connection that only looked who serves.
async fn read_request(connection: &mut UnixStream) -> Option<String> {
    let mut request = Vec::new();
    loop {
        if connection.read_buf(&mut request).await.unwrap() == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&request);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return Some(text.into_owned());
        }
    }
}

fn answer(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}", body.len())
        .into_bytes()
}

fn socket_in(folder: &TempDir) -> PathBuf {
    folder.path().join("agent.sock")
}

fn agent(socket: &Path) -> AgentClient {
    AgentClient::new(Transport::new(socket).unwrap(), Secret::new("cbx_canary"))
}

fn progress() -> SignalRequest {
    let arguments = serde_json::json!({"message": "m"}).as_object().unwrap().clone();
    SignalRequest { tool: "record_progress".to_owned(), arguments }
}

#[tokio::test]
async fn a_signal_carries_version_token_and_key_and_brings_the_reply() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(&socket_in(&folder), vec![answer("200 OK", "", r#"{"seq":3,"text":"recorded"}"#)]);
    let reply = agent(&socket_in(&folder)).signal(&progress(), "key-1").await.unwrap();
    assert_eq!(reply, SignalReply { seq: 3, text: "recorded".to_owned() });

    let request = server.await.unwrap().remove(0);
    assert!(request.starts_with("POST /v1/run/signals HTTP/1.1\r\n"), "{request}");
    for line in ["callbox-version: 1", "idempotency-key: key-1", "authorization: Bearer cbx_canary"] {
        assert!(request.lines().any(|have| have == line), "no `{line}` in {request}");
    }
    assert!(request.ends_with(r#"{"tool":"record_progress","arguments":{"message":"m"}}"#), "{request}");
}

#[tokio::test]
async fn a_refusal_keeps_its_code_message_and_hint() {
    let folder = tempfile::tempdir().unwrap();
    let body = r#"{"code":"revoked","message":"execution `x1` has ended","hint":"stop"}"#;
    serve(&socket_in(&folder), vec![answer("403 Forbidden", "", body)]);
    let Err(ClientError::Refused(reason)) = agent(&socket_in(&folder)).run().await else {
        panic!("not refused");
    };
    assert_eq!(reason.code, ErrorCode::Revoked);
    assert_eq!(reason.to_string(), "execution `x1` has ended");
    assert_eq!(reason.hint.as_deref(), Some("stop"));
}

#[tokio::test]
async fn nobody_at_the_socket_is_unreachable_and_a_store_that_comes_later_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let agent = agent(&socket_in(&folder));
    assert!(matches!(agent.run().await, Err(ClientError::Unreachable { .. })));
    drop(std::os::unix::net::UnixListener::bind(socket_in(&folder)).unwrap());
    assert!(matches!(agent.run().await, Err(ClientError::Unreachable { .. })));

    std::fs::remove_file(socket_in(&folder)).unwrap();
    let reply = r#"{"seq":1,"text":"recorded"}"#;
    let answers = vec![answer("200 OK", "", reply), answer("200 OK", "", reply)];
    serve(&socket_in(&folder), answers);
    agent.signal(&progress(), "k").await.unwrap();
    agent.signal(&progress(), "k").await.unwrap();
}

#[tokio::test]
async fn a_connection_that_is_closed_with_the_request_unread_reached_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(socket_in(&folder)).unwrap();
    let closes = tokio::spawn(async move {
        // The first asks only whose socket it is.
        let _first = listener.accept().await.unwrap();
        let (mut second, _) = listener.accept().await.unwrap();
        // All of a request without a body comes at once, and all but this stays unread.
        tokio::io::AsyncReadExt::read_u8(&mut second).await.unwrap();
    });
    let error = agent(&socket_in(&folder)).run().await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error:?}");
    closes.await.unwrap();
}

#[tokio::test]
async fn a_connection_lost_after_the_request_is_broken_and_never_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let answers = vec![
        Vec::new(),
        b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{".to_vec(),
        b"pardon?\r\n\r\n".to_vec(),
    ];
    let server = serve(&socket_in(&folder), answers);
    let agent = agent(&socket_in(&folder));
    for _ in 0..3 {
        let error = agent.signal(&progress(), "k").await.unwrap_err();
        assert!(matches!(error, ClientError::Broken { .. }), "{error:?}");
        assert!(!format!("{error} {error:?}").contains("cbx_canary"), "{error:?}");
    }
    assert_eq!(server.await.unwrap().len(), 3);
}

#[tokio::test]
async fn an_answer_that_is_no_answer_of_a_store_is_broken() {
    let folder = tempfile::tempdir().unwrap();
    let answers = vec![
        answer("200 OK", "", "<html>"),
        answer("500 Internal Server Error", "", "oh no"),
        answer("302 Found", "location: http://elsewhere/\r\n", ""),
        answer("200 OK", "", &"x".repeat(answer::MAX_ANSWER_BYTES + 1)),
    ];
    serve(&socket_in(&folder), answers);
    for _ in 0..4 {
        let error = agent(&socket_in(&folder)).run().await.unwrap_err();
        assert!(matches!(error, ClientError::Broken { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_before_it_is_sent_and_the_limit_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut signal = progress();
    signal.arguments.insert("message".to_owned(), "x".repeat(MAX_BODY_BYTES).into());
    let Err(ClientError::Refused(reason)) = agent(&socket_in(&folder)).signal(&signal, "k").await else {
        panic!("not refused");
    };
    assert_eq!(reason.code, ErrorCode::TooLarge);
    assert!(reason.message.contains("1048576"), "{reason}");
}

#[tokio::test]
async fn a_key_or_token_that_no_header_can_carry_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = agent(&socket_in(&folder)).signal(&progress(), "a\nb").await.unwrap_err();
    assert!(matches!(&error, ClientError::Refused(reason) if reason.code == ErrorCode::Invalid), "{error:?}");
    let spoilt = AgentClient::new(Transport::new(&socket_in(&folder)).unwrap(), Secret::new("cbx_canary\n"));
    let error = spoilt.run().await.unwrap_err();
    assert!(matches!(&error, ClientError::Refused(_)), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
}

#[tokio::test]
async fn a_socket_beyond_the_kernels_longest_path_is_reached() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("d".repeat(120)).join("agent");
    std::fs::create_dir_all(&deep).unwrap();
    let long = deep.join("agent.sock");
    assert!(matches!(agent(&long).run().await, Err(ClientError::Unreachable { .. })));

    let opened = std::fs::File::open(&deep).unwrap();
    let short = format!("/proc/self/fd/{}/agent.sock", std::os::fd::AsRawFd::as_raw_fd(&opened));
    serve(Path::new(&short), vec![answer("200 OK", "", r#"{"execution":"x1","task":"t1","name":"n"}"#)]);
    assert_eq!(agent(&long).run().await.unwrap().execution, ExecutionNumber::new(1));

    let missing = folder.path().join("e".repeat(120)).join("agent.sock");
    assert!(matches!(Transport::new(&missing), Err(ClientError::Unreachable { .. })));
}

#[tokio::test]
async fn events_are_followed_to_the_end_of_the_stream() {
    let folder = tempfile::tempdir().unwrap();
    let event = |seq: i64| {
        format!(
            "id: {seq}\nevent: state\ndata: {{\"seq\":{seq},\"at\":\"2026-01-01T00:00:00Z\",\"task\":\"t1\",\
             \"execution\":null,\"kind\":\"state\",\"text\":\"queued\",\"actor\":null}}\n\n"
        )
    };
    let body = format!(": alive\n\n{}{}", event(4), event(5));
    let server = serve(&socket_in(&folder), vec![answer("200 OK", "", &body)]);
    let operator = OperatorClient::new(Transport::new(&socket_in(&folder)).unwrap());
    let tree = Trees(vec![TaskNumber::new(1), TaskNumber::new(2)]);
    let query = EventsQuery { tree, after: 3, claim: Claim::Yes };
    let mut events = operator.events(&query).await.unwrap();
    assert_eq!(events.next().await.unwrap().unwrap().seq, 4);
    assert_eq!(events.next().await.unwrap().unwrap().seq, 5);
    assert_eq!(events.next().await.unwrap(), None);
    let request = server.await.unwrap().remove(0);
    assert!(request.starts_with("GET /v1/events?tree=t1%2Ct2&after=3&claim=yes HTTP/1.1\r\n"), "{request}");
}

#[tokio::test]
async fn a_stream_of_events_that_breaks_off_is_an_error_and_not_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let cut_off = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\n: alive\n\n\r\n".to_vec();
    serve(&socket_in(&folder), vec![cut_off]);
    let operator = OperatorClient::new(Transport::new(&socket_in(&folder)).unwrap());
    let mut events = operator.events(&EventsQuery::default()).await.unwrap();
    assert!(matches!(events.next().await, Err(ClientError::Broken { .. })));
}

#[tokio::test]
async fn a_log_says_whether_more_can_follow() {
    let folder = tempfile::tempdir().unwrap();
    let answers =
        vec![answer("200 OK", "callbox-log-end: yes\r\n", "the rest"), answer("200 OK", "", "the first")];
    serve(&socket_in(&folder), answers);
    let operator = OperatorClient::new(Transport::new(&socket_in(&folder)).unwrap());
    for (text, is_final) in [("the rest", true), ("the first", false)] {
        let query = LogQuery { kind: LogKind::Raw, offset: 0 };
        let mut log = operator.log(ExecutionNumber::new(1), query).await.unwrap();
        let mut read = Vec::new();
        while let Some(bytes) = log.chunk().await.unwrap() {
            read.extend(bytes);
        }
        assert_eq!(String::from_utf8(read).unwrap(), text);
        assert_eq!(log.is_final(), is_final);
    }
}
