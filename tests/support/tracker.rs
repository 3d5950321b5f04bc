//! An MCP server of the person's own, as their configuration gives it to an agent program.

use std::{fs, os::unix::fs::PermissionsExt as _};

use super::cli::Desk;

/// An MCP server over stdio with one tool, which tells what the server was given. Requests name their id last. It speaks
/// whichever version of the protocol it is asked for.
const TRACKER: &str = r#"#!/bin/sh
while read -r line; do
  case $line in *'"id":'*) ;; *) continue ;; esac
  id=${line##*'"id":'}
  id=${id%%[,\}]*}
  version=${line##*'"protocolVersion":"'}
  version=${version%%\"*}
  case $line in
  *'"initialize"'*) r='"result":{"protocolVersion":"'$version'","capabilities":{"tools":{}},"serverInfo":{"name":"tracker","version":"1"}}' ;;
  *'"tools/list"'*) r='"result":{"tools":[{"name":"lookup","description":"Looks an issue up.","inputSchema":{"type":"object","properties":{}}}]}' ;;
  *'"tools/call"'*) r='"result":{"content":[{"type":"text","text":"issue of '$*' under '$TRACKER_TOKEN'"}]}' ;;
  *) r='"error":{"code":-32601,"message":"there is no such method"}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$r"
done
"#;

/// A desk whose configuration gives `agent` the server `tracker`.
pub(crate) fn with_tracker(agent: &str) -> Desk {
    let desk = Desk::new();
    let program = desk.write("opt/tracker", TRACKER);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let table =
        format!("[agents.{agent}.mcp_servers.tracker]\nargs = ['board', '7']\nenv = ['TRACKER_TOKEN']\n");
    let command = format!("{table}command = '{}'\n", program.display());
    desk.write("home/.config/callbox/config.toml", &command);
    desk
}
