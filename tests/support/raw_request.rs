//! Requests to a store's sockets, byte by byte, as no client of callbox's own would make them.

use std::{
    io::{Read as _, Write as _},
    os::unix::net::UnixStream,
    path::Path,
};

use serde_json::Value;

use super::wait::SOON;

/// The headers that every request must have.
pub(crate) const PLAIN: [(&str, &str); 2] = [("host", "callbox"), ("callbox-version", "1")];

/// Sends `method_and_path` with these headers and a JSON body; the status and the answer's JSON.
#[track_caller]
pub(crate) fn request(
    socket: &Path,
    method_and_path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> (u16, Value) {
    let length = body.len().to_string();
    let own = [("connection", "close"), ("content-type", "application/json"), ("content-length", &length)];
    let lines = own.iter().chain(headers).map(|(name, value)| format!("{name}: {value}\r\n"));
    let head: String = lines.collect();
    let text = format!("{method_and_path} HTTP/1.1\r\n{head}\r\n{body}");
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer:?}")))
}

/// Fails unless it is refused under `status` with `code`, a sentence, and what to do; the sentence.
#[track_caller]
pub(crate) fn refused(answer: &(u16, Value), status: u16, code: &str) -> String {
    let (given, error) = answer;
    assert_eq!((*given, error["code"].as_str()), (status, Some(code)), "{error}");
    assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "no hint in {error}");
    error["message"].as_str().unwrap().to_owned()
}
