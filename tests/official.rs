//! The official clients of the Model Context Protocol, as others wrote them, against the real shim: each
//! lists the tools, calls one, is refused a wrong call and a tool that there is not, and closes while a
//! call is open. What they do stands in `tests/clients`.

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    sync::mpsc::Receiver,
};

use rustix::process::{Pid, test_kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{
    programs::{installed, python},
    raw_store::{Answer, RawStore, TOKEN},
    shim::{SHIM, lines_of},
    wait::{SOON, wait_until},
};

/// Lets `client` do all of it.
#[track_caller]
fn plays(client: Option<Command>) {
    let Some(mut client) = client else { return };
    let (store, home) = (RawStore::present(), TempDir::new().unwrap());
    client.env("HOME", home.path()).env("SHIM", shim(home.path()));
    client.env("CALLBOX_SOCKET", store.socket()).env("CALLBOX_TOKEN", TOKEN);
    let mut client = client.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let said = lines_of(client.stdout.take().unwrap());

    let tools = ["ask_user", "record_progress", "report_summary", "spawn_subtask"];
    assert_eq!(next(&said), json!({"listed": tools}));
    store.answer(Answer::Recorded("recorded; go on"));
    assert_eq!(next(&said), json!({"said": {"error": false, "text": "recorded; go on"}}));
    let refused = next(&said);
    assert_eq!(refused["said"]["error"], true, "{refused}");
    assert!(refused["said"]["text"].as_str().unwrap().contains("`message` is required"), "{refused}");
    assert_eq!(next(&said), json!({"unknown": -32602}));

    // This one is never answered.
    assert_eq!(store.signals(2).len(), 2);
    let shim: i32 = std::fs::read_to_string(home.path().join("pid")).unwrap().trim().parse().unwrap();
    client.stdin.take().unwrap().write_all(b"close\n").unwrap();
    assert_eq!(next(&said), json!({"open": true}));
    assert_eq!(next(&said), json!({"closed": true}));
    let mut ended = None;
    wait_until("the client ends", 3 * SOON, || {
        ended = client.try_wait().unwrap();
        ended.is_some()
    });
    assert!(ended.unwrap().success());
    let gone = || test_kill_process(Pid::from_raw(shim).unwrap()).is_err();
    wait_until("the shim is gone", SOON, gone);
}

/// The shim, behind a script that leaves its process id in `folder`.
fn shim(folder: &Path) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.join("shim");
    let text = format!("#!/bin/sh\necho $$ > '{}/pid'\nexec '{SHIM}'\n", folder.display());
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[track_caller]
fn next(said: &Receiver<String>) -> Value {
    let line = said.recv_timeout(3 * SOON).unwrap_or_else(|error| panic!("nothing more is said: {error}"));
    serde_json::from_str(&line).unwrap_or_else(|_| panic!("no line of JSON: `{line}`"))
}

fn script(name: &str) -> String {
    format!("{}/tests/clients/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn typescript(kind: &str) -> Option<Command> {
    let node = installed("node")?;
    let programs = node.ancestors().nth(3)?;
    let mut command = Command::new(&node);
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
    command.arg(script("typescript.mjs")).arg(programs).arg(kind);
    Some(command)
}

fn python2(mode: &str) -> Option<Command> {
    let mut command = python("mcp2")?;
    command.arg(script("mcp2.py")).arg(mode);
    Some(command)
}

#[test]
fn the_typescript_sdk_1_works_with_the_shim() {
    plays(typescript("sdk"));
}

#[test]
fn the_typescript_client_2_works_with_the_shim_by_default() {
    plays(typescript("legacy"));
}

#[test]
fn the_typescript_client_2_works_with_the_shim_where_it_finds_the_version_out() {
    plays(typescript("auto"));
}

#[test]
fn the_python_package_1_works_with_the_shim() {
    plays(python("mcp1").map(|mut command| {
        command.arg(script("mcp1.py"));
        command
    }));
}

#[test]
fn the_python_package_2_works_with_the_shim_in_every_mode() {
    for mode in ["legacy", "auto", "2026-07-28"] {
        plays(python2(mode));
    }
}
