//! An MCP client as an agent program has one, in lines of JSON by hand, so that what is measured is the
//! shim and not a client library.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

/// A conversation with a program that answers lines.
pub(crate) struct Talk {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: String,
    requests: u64,
}

impl Talk {
    /// Starts `command`.
    pub(crate) fn start(mut command: Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let input = child.stdin.take().context("its input is piped")?;
        let output = BufReader::new(child.stdout.take().context("its output is piped")?);
        Ok(Self { child, input, output, line: String::new(), requests: 0 })
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Says a line and waits for one.
    pub(crate) fn exchange(&mut self, line: &[u8]) -> Result<&str> {
        self.input.write_all(line)?;
        self.line.clear();
        ensure!(self.output.read_line(&mut self.line)? > 0, "the program ended without an answer");
        Ok(&self.line)
    }

    /// Opens an MCP session and waits for the list of tools.
    pub(crate) fn open_session(&mut self) -> Result<()> {
        let client = json!({"name": "bench", "version": "0"});
        let opening = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        self.request("initialize", &opening)?;
        self.input.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        let listed = self.request("tools/list", &json!({}))?;
        let tools = listed["tools"].as_array().map_or(0, Vec::len);
        ensure!(tools == 4, "the shim offers {tools} tools");
        Ok(())
    }

    /// Calls a tool, which must be recorded.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<()> {
        let result = self.request("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        ensure!(result["isError"] != json!(true), "the call was not recorded: {result}");
        Ok(())
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.requests += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.requests, "method": method, "params": params});
        let answer = self.exchange(format!("{request}\n").as_bytes())?;
        let mut answer: Value = serde_json::from_str(answer)?;
        ensure!(answer["result"].is_object(), "`{method}` was answered with {answer}");
        Ok(answer["result"].take())
    }

    /// Closes its input and waits until it has ended.
    pub(crate) fn end(self) -> Result<()> {
        let Self { mut child, input, .. } = self;
        drop(input);
        child.wait()?;
        Ok(())
    }
}
