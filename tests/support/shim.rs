//! A real `callbox-mcp` process, and an MCP client's hands on its streams.

use std::{
    io::{BufRead as _, BufReader, Read, Write},
    os::{fd::OwnedFd, unix::net::UnixStream},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::wait::{SOON, wait_until};

/// The program.
pub(crate) const SHIM: &str = env!("CARGO_BIN_EXE_callbox-mcp");

/// A command for the shim in an environment with nothing but a PATH, as SDK clients give it.
pub(crate) fn shim_command() -> Command {
    let mut command = Command::new(SHIM);
    command.env_clear().env("PATH", "/usr/bin:/bin");
    command
}

/// A running shim.
pub(crate) struct Shim {
    child: Child,
    stdin: Option<Box<dyn Write + Send>>,
    lines: Receiver<String>,
    next_id: i64,
}

impl Shim {
    /// Starts one without a store.
    pub(crate) fn start() -> Self {
        Self::from(shim_command())
    }

    /// Starts one and opens the connection the old way.
    pub(crate) fn initialized() -> Self {
        Self::start().initialize()
    }

    /// Starts what `command` says, on pipes.
    pub(crate) fn from(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the shim must start");
        let stdin: ChildStdin = child.stdin.take().unwrap();
        let stdout = child.stdout.take().unwrap();
        Self { child, stdin: Some(Box::new(stdin)), lines: lines_of(stdout), next_id: 1 }
    }

    /// Starts what `command` says on a pair of sockets, as Node does.
    pub(crate) fn on_sockets(mut command: Command) -> Self {
        let ((near_in, far_in), (near_out, far_out)) =
            (UnixStream::pair().unwrap(), UnixStream::pair().unwrap());
        command.stdin(OwnedFd::from(far_in)).stdout(OwnedFd::from(far_out));
        let child = command.spawn().expect("the shim must start");
        // The command would keep the far ends open.
        drop(command);
        Self { child, stdin: Some(Box::new(near_in)), lines: lines_of(near_out), next_id: 1 }
    }

    /// Opens the connection the old way.
    pub(crate) fn initialize(mut self) -> Self {
        let answer = self.ask("initialize", &initialize_params("2025-11-25"));
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        self
    }

    /// The process's id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Writes one message.
    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(message.to_string());
    }

    /// Writes one line as it is.
    pub(crate) fn send_line(&mut self, line: impl AsRef<[u8]>) {
        let mut bytes = line.as_ref().to_vec();
        bytes.push(b'\n');
        self.send_bytes(&bytes);
    }

    /// Writes bytes as they are.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("standard input must be open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the shim must read");
    }

    /// Writes a request and gives its id.
    pub(crate) fn begin(&mut self, method: &str, params: &Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Makes a request and gives its answer, which must be the next thing said.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begin(method, params);
        let answer = self.next();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool; whether it says so itself, its text is an error.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> (bool, String) {
        tool_result(&self.ask("tools/call", &json!({"name": tool, "arguments": arguments})))
    }

    /// The next message. Anything on standard output that is no JSON-RPC message fails.
    #[track_caller]
    pub(crate) fn next(&self) -> Value {
        match self.lines.recv_timeout(SOON) {
            Ok(line) => message(&line),
            Err(error) => panic!("the shim said nothing more: {error}"),
        }
    }

    /// Fails if anything was said that was not asked for: a ping must be answered next.
    #[track_caller]
    pub(crate) fn expect_nothing_but_a_ping(&mut self) {
        let answer = self.ask("ping", &json!({}));
        assert_eq!(answer["result"], json!({}), "{answer}");
    }

    /// What is still said until standard output ends.
    #[track_caller]
    pub(crate) fn rest(&self) -> Vec<Value> {
        let mut rest = Vec::new();
        loop {
            match self.lines.recv_timeout(SOON) {
                Ok(line) => rest.push(message(&line)),
                Err(RecvTimeoutError::Disconnected) => return rest,
                Err(RecvTimeoutError::Timeout) => panic!("standard output stays open"),
            }
        }
    }

    /// Closes standard input.
    pub(crate) fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end; how it ended and how long that took.
    #[track_caller]
    pub(crate) fn end(&mut self) -> (ExitStatus, Duration) {
        let begun = Instant::now();
        let mut status = None;
        wait_until("the shim ends", SOON, || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        (status.unwrap(), begun.elapsed())
    }

    /// Closes standard input and expects it to go at once and well.
    #[track_caller]
    pub(crate) fn leave(mut self) {
        self.close_input();
        let (status, took) = self.end();
        assert_eq!(status.code(), Some(0));
        assert!(took < Duration::from_millis(1500), "{took:?}");
    }

    /// A field of `/proc/<pid>/status`, as a number.
    pub(crate) fn status_field(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    }
}

impl Drop for Shim {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a client sends first, the old way.
pub(crate) fn initialize_params(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "a test", "version": "1"}
    })
}

/// What a client sends with each request, the new way.
pub(crate) fn modern_meta(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "a test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}
    })
}

/// Whether a tool's result is an error, and its text.
#[track_caller]
pub(crate) fn tool_result(answer: &Value) -> (bool, String) {
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no tool result: {answer}"));
    (result["isError"] == true, text.to_owned())
}

/// The code of an error.
#[track_caller]
pub(crate) fn error_code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}"))
}

#[track_caller]
fn message(line: &str) -> Value {
    let message: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line:?}"));
    assert_eq!(message["jsonrpc"], "2.0", "{message}");
    message
}

/// The lines of `stream` as they come, for whoever waits only so long.
pub(crate) fn lines_of(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}
