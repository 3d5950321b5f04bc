//! A socket where a store should be, which answers as a test wants: late, badly or not at all.

use std::{
    io::{Read as _, Write as _},
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use tempfile::TempDir;

use super::{
    shim::shim_command,
    wait::{SOON, wait_until},
};

/// The secret in the shim's environment, to be looked for where it must not be.
pub(crate) const TOKEN: &str = "cbx_canary-token-canary-token-canary-token-canary";

/// A socket, and what arrived at it.
pub(crate) struct RawStore {
    folder: TempDir,
    arrived: Arc<Arrived>,
    answers: Sender<Answer>,
    unused: Option<Receiver<Answer>>,
}

/// Requests as text, by what they say. A hello is answered at once.
#[derive(Default)]
struct Arrived {
    signals: Mutex<Vec<String>>,
    hellos: Mutex<Vec<String>>,
}

/// What the next signal is answered with.
pub(crate) enum Answer {
    /// It was recorded, and the agent is told this.
    Recorded(&'static str),
    /// A status and a JSON body.
    Status(u16, &'static str),
    /// The connection is closed.
    HangUp,
}

impl RawStore {
    /// A place for a socket that nobody serves yet.
    pub(crate) fn absent() -> Self {
        let (answers, unused) = channel();
        let folder = tempfile::tempdir().unwrap();
        Self { folder, arrived: Arc::default(), answers, unused: Some(unused) }
    }

    /// Serves the socket from now on.
    pub(crate) fn present() -> Self {
        let mut store = Self::absent();
        store.appear();
        store
    }

    /// Begins to serve the socket.
    pub(crate) fn appear(&mut self) {
        let listener = UnixListener::bind(self.socket()).unwrap();
        let answers = Arc::new(Mutex::new(self.unused.take().expect("a store appears once")));
        let arrived = self.arrived.clone();
        thread::spawn(move || {
            while let Ok((connection, _)) = listener.accept() {
                let (answers, arrived) = (answers.clone(), arrived.clone());
                thread::spawn(move || serve(connection, &answers, &arrived));
            }
        });
    }

    /// Answers one signal, the next that waits or comes.
    pub(crate) fn answer(&self, answer: Answer) {
        self.answers.send(answer).unwrap();
    }

    /// Waits until so many signals arrived, and gives all there are, as text of their requests.
    #[track_caller]
    pub(crate) fn signals(&self, count: usize) -> Vec<String> {
        wait_until("the signals arrive", SOON, || self.arrived.signals.lock().unwrap().len() >= count);
        self.arrived.signals.lock().unwrap().clone()
    }

    /// Waits until so many hellos arrived, and gives all there are.
    #[track_caller]
    pub(crate) fn hellos(&self, count: usize) -> Vec<String> {
        wait_until("the hellos arrive", SOON, || self.arrived.hellos.lock().unwrap().len() >= count);
        self.arrived.hellos.lock().unwrap().clone()
    }

    /// Where the socket is.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("canary.sock")
    }

    /// A command for a shim that speaks to this store.
    pub(crate) fn shim(&self) -> Command {
        let mut command = shim_command();
        command.env("CALLBOX_SOCKET", self.socket()).env("CALLBOX_TOKEN", TOKEN);
        command
    }

    /// The folder of the socket.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// The value of a header in a request's text.
#[track_caller]
pub(crate) fn header<'a>(request: &'a str, name: &str) -> &'a str {
    let line = request.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("no `{name}` in {request}"))
}

fn serve(mut connection: UnixStream, answers: &Mutex<Receiver<Answer>>, arrived: &Arrived) {
    while let Some(request) = read_request(&mut connection) {
        let answer = if request.starts_with("POST /v1/run/hello ") {
            arrived.hellos.lock().unwrap().push(request);
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}".to_owned()
        } else {
            arrived.signals.lock().unwrap().push(request);
            match answers.lock().unwrap().recv() {
                Ok(Answer::Recorded(text)) => {
                    let body = serde_json::json!({"seq": 1, "text": text}).to_string();
                    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())
                }
                Ok(Answer::Status(status, body)) => {
                    format!("HTTP/1.1 {status} No\r\ncontent-length: {}\r\n\r\n{body}", body.len())
                }
                Ok(Answer::HangUp) | Err(_) => return,
            }
        };
        if connection.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn read_request(connection: &mut UnixStream) -> Option<String> {
    let mut request = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&request);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return Some(text.into_owned());
            }
        }
        match connection.read(&mut chunk) {
            Ok(0) | Err(_) => return None,
            Ok(taken) => request.extend_from_slice(&chunk[..taken]),
        }
    }
}
