//! The proof, before an agent is started, that its shim works: it is spoken to as an MCP client
//! would, in lines of JSON by hand, and must offer four tools.
//!
//! Without it every agent program would end "well" and nobody would have heard a word.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines, Take},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

use super::program::own_path;
use crate::{
    ids::Secret,
    process::Family,
    protocol::SUPERVISOR_CLIENT,
    vocabulary::{Fault, Shortage},
};

/// How long the shim may take for everything: it answers within milliseconds where nothing is wrong.
const PATIENCE: Duration = Duration::from_secs(15);
/// How much of its output is read, in bytes.
const MAX_OUTPUT: u64 = 1 << 20;
/// The revision that is spoken.
const REVISION: &str = "2025-11-25";
/// How many tools it must offer.
const TOOLS: usize = 4;

/// The shim's path: beside this program, also where the file this program was started from has been
/// replaced meanwhile.
pub(super) fn shim() -> io::Result<PathBuf> {
    Ok(own_path()?.with_file_name("callbox-mcp"))
}

/// Starts the shim with `environment`, as an agent would, and sees its tools.
pub(super) async fn prove(
    shim: &Path,
    environment: &BTreeMap<String, Secret>,
    family: &Family,
) -> Result<(), Fault> {
    let wrong = |reason: String| {
        Fault::new("wiring", format!("the shim `{}` does not work: {reason}", shim.display()))
            .hinted("`callbox doctor` shows what is wrong with the installation")
    };
    let talk = Talk::begin(shim, environment, family)
        .map_err(|error| wrong(format!("it could not be started: {error}")).lacking(Shortage::of(&error)))?;
    match timeout(PATIENCE, speak(talk)).await {
        Ok(Ok(TOOLS)) => Ok(()),
        Ok(Ok(tools)) => Err(wrong(format!("it offers {tools} tools and not {TOOLS}"))),
        Ok(Err(reason)) => Err(wrong(reason)),
        Err(_) => Err(wrong(format!("it did not answer within {} s", PATIENCE.as_secs()))),
    }
}

async fn speak(mut talk: Talk) -> Result<usize, String> {
    let client = json!({"name": SUPERVISOR_CLIENT, "version": env!("CARGO_PKG_VERSION")});
    let params = json!({"protocolVersion": REVISION, "capabilities": {}, "clientInfo": client});
    talk.ask(1, "initialize", params).await?;
    talk.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await?;
    let listed = talk.ask(2, "tools/list", json!({})).await?;
    let tools = listed["tools"].as_array().map_or(0, Vec::len);
    talk.end().await;
    Ok(tools)
}

struct Talk {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<Take<ChildStdout>>>,
}

impl Talk {
    fn begin(shim: &Path, environment: &BTreeMap<String, Secret>, family: &Family) -> io::Result<Self> {
        let mut command = Command::new(shim);
        command.env_clear().envs(environment.iter().map(|(name, value)| (name, value.expose())));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut child = family.spawn(&mut command)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("its streams could not be had"));
        };
        Ok(Self { child, input, lines: BufReader::new(output.take(MAX_OUTPUT)).lines() })
    }

    async fn ask(&mut self, id: u64, method: &str, params: Value) -> Result<Value, String> {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        let line = self.lines.next_line().await;
        let line = line.map_err(|error| format!("its answer to `{method}` could not be read: {error}"))?;
        let line = line.ok_or_else(|| format!("it ended instead of answering `{method}`"))?;
        let mut answer: Value =
            serde_json::from_str(&line).map_err(|_| format!("its answer to `{method}` is no JSON"))?;
        if answer["id"] != id || !answer["result"].is_object() {
            return Err(format!("it refused `{method}`"));
        }
        Ok(answer["result"].take())
    }

    async fn send(&mut self, message: &Value) -> Result<(), String> {
        let line = format!("{message}\n");
        match self.input.write_all(line.as_bytes()).await {
            // It has ended, before or after it answered: what it said, or that it said nothing, tells
            // more than the pipe does.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|error| format!("it does not read: {error}")),
        }
    }

    /// The end of its input ends it; what it still says is of no interest.
    async fn end(self) {
        let Self { mut child, input, lines } = self;
        drop((input, lines));
        // Dropping the child, as a timeout does, kills it.
        let _ = child.wait().await;
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    async fn proof(script: &str) -> Result<(), Fault> {
        let folder = tempfile::tempdir().unwrap();
        let shim = folder.path().join("callbox-mcp");
        std::fs::write(&shim, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&shim, std::fs::Permissions::from_mode(0o755)).unwrap();
        prove(&shim, &BTreeMap::new(), &Family::default()).await
    }

    fn shim_with(tools: usize) -> String {
        let tools = vec!["{}"; tools].join(",");
        format!(
            "read a; echo '{{\"id\":1,\"result\":{{}}}}'; read b; read c; echo '{{\"id\":2,\"result\":{{\"tools\":[{tools}]}}}}'; read d"
        )
    }

    #[tokio::test]
    async fn only_four_tools_prove_it() {
        proof(&shim_with(4)).await.unwrap();
        for (script, reason) in [
            (shim_with(3), "3 tools"),
            ("exit 1".to_owned(), "it ended instead of answering"),
            ("read a; echo nonsense".to_owned(), "no JSON"),
            ("read a; echo '{\"id\":1,\"error\":{}}'".to_owned(), "refused `initialize`"),
        ] {
            let fault = proof(&script).await.unwrap_err();
            assert_eq!(fault.code, "wiring");
            assert!(fault.message.contains(reason), "{}", fault.message);
        }
    }

    #[tokio::test]
    async fn a_missing_shim_is_named() {
        let missing = Path::new("/nonexistent/callbox-mcp");
        let fault = prove(missing, &BTreeMap::new(), &Family::default()).await.unwrap_err();
        assert!(fault.message.contains("`/nonexistent/callbox-mcp`"), "{}", fault.message);
    }
}
