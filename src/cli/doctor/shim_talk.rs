//! Speaking to a shim as an MCP client would, in lines of JSON by hand: a client library would hide
//! what is to be proved.

use std::{path::Path, process::Stdio, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A shim without a store, and this process's end of its streams.
pub(super) struct Talk {
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    next: u64,
    // Ends with this: `kill_on_drop`.
    _child: Child,
}

impl Talk {
    /// Starts the program at `path`.
    pub(super) fn begin(path: &Path) -> Result<Self, String> {
        let mut command = Command::new(path);
        command.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("it could not be started: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("its streams could not be had".to_owned());
        };
        Ok(Self { input, lines: BufReader::new(output).lines(), next: 1, _child: child })
    }

    /// One request and its result.
    pub(super) async fn ask(&mut self, method: &str, params: Value) -> Result<Value, String> {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        let line = timeout(PATIENCE, self.lines.next_line())
            .await
            .map_err(|_| format!("`{method}` was not answered within {} s", PATIENCE.as_secs()))?
            .map_err(|error| format!("its answer to `{method}` could not be read: {error}"))?
            .ok_or_else(|| format!("it ended instead of answering `{method}`"))?;
        let mut answer: Value =
            serde_json::from_str(&line).map_err(|_| format!("its answer to `{method}` is no JSON"))?;
        if answer["id"] != id {
            return Err(format!("it answered something else than `{method}`"));
        }
        match answer.get("error") {
            Some(error) => Err(format!("it refused `{method}`: {}", error["message"])),
            None => Ok(answer["result"].take()),
        }
    }

    /// A message without an answer.
    pub(super) async fn send(&mut self, message: &Value) -> Result<(), String> {
        let line = format!("{message}\n");
        let written = self.input.write_all(line.as_bytes()).await;
        written.map_err(|error| format!("it does not read: {error}"))
    }
}
