//! The shim: beside callbox, and four tools in both eras of the protocol.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{finding::Finding, shim_talk::Talk};

/// The last revision that is opened with `initialize`.
const HANDSHAKE: &str = "2025-11-25";
/// The first revision in which every request says its version.
const PER_REQUEST: &str = "2026-07-28";
/// The program's name.
const NAME: &str = "callbox-mcp";
/// What it must offer.
const TOOLS: [&str; 4] = ["ask_user", "record_progress", "report_summary", "spawn_subtask"];

/// Starts the shim beside this program, without a store, and speaks both eras.
pub(crate) async fn check_shim() -> Finding {
    let path = match beside() {
        Ok(path) => path,
        Err(reason) => return fail(&reason),
    };
    for (era, talk) in [(HANDSHAKE, Era::Handshake), (PER_REQUEST, Era::PerRequest)] {
        if let Err(reason) = speak(&path, talk).await {
            return fail(&format!("{} in the era of {era}: {reason}", path.display()));
        }
    }
    Finding::ok("shim", format!("{}, four tools under {HANDSHAKE} and {PER_REQUEST}", path.display()))
}

enum Era {
    Handshake,
    PerRequest,
}

fn fail(reason: &str) -> Finding {
    Finding::fail("shim", reason, format!("install `{NAME}` of the same version beside `callbox`"))
}

fn beside() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("this program's path is unknown: {error}"))?;
    let path = own.with_file_name(NAME);
    if path.is_file() { Ok(path) } else { Err(format!("{} is missing", path.display())) }
}

async fn speak(path: &std::path::Path, era: Era) -> Result<(), String> {
    let mut talk = Talk::begin(path)?;
    let listed = match era {
        Era::Handshake => {
            let client = json!({"name": "callbox-doctor", "version": env!("CARGO_PKG_VERSION")});
            let params = json!({"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": client});
            let opened = talk.ask("initialize", params).await?;
            if opened["protocolVersion"] != HANDSHAKE {
                return Err(format!("it speaks {} instead", opened["protocolVersion"]));
            }
            talk.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await?;
            talk.ask("tools/list", json!({})).await?
        }
        Era::PerRequest => {
            let params = json!({"_meta": {
                "io.modelcontextprotocol/protocolVersion": PER_REQUEST,
                "io.modelcontextprotocol/clientInfo":
                    {"name": "callbox-doctor", "version": env!("CARGO_PKG_VERSION")},
                "io.modelcontextprotocol/clientCapabilities": {},
            }});
            let known = talk.ask("server/discover", params.clone()).await?;
            let versions = known["supportedVersions"].as_array();
            if !versions.is_some_and(|versions| versions.iter().any(|version| version == PER_REQUEST)) {
                return Err("it does not know this revision".to_owned());
            }
            talk.ask("tools/list", params).await?
        }
    };
    let mut names: Vec<&str> = listed["tools"]
        .as_array()
        .map(|tools| tools.iter().filter_map(|tool| tool["name"].as_str()).collect())
        .unwrap_or_default();
    names.sort_unstable();
    if names == TOOLS { Ok(()) } else { Err(format!("it offers {}", Value::from(names))) }
}
