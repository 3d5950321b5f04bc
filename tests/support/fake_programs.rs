//! Agent programs of one desk that say what their makers' say, and do what a test has them do.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use super::{
    cli::{Call, Desk},
    supervised::write_agent,
};

/// What of Claude Code's refusals stands in its output.
const CLAUDE_REFUSED: &str = r#"
cat >/dev/null
echo '{"type":"system","subtype":"init","session_id":"'$session'","model":"m","mcp_servers":[{"name":"callbox","status":"connected"}]}'
echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":STATUS,"num_turns":1,"result":"not now","session_id":"'$session'"}'
exit 1"#;

/// What the shell script of every Codex begins with.
const CODEX: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then echo "codex-cli 0.171.0"; exit; fi
cat >/dev/null
echo '{"type":"thread.started","thread_id":"01a22e98-8677-74c2-8b00-5bcc801e1720"}'
echo '{"type":"turn.started"}'
begin() {
  echo '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"hello"}}'
}
done_well() {
  echo '{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":0,"output_tokens":5}}'
}
"#;

const CODEX_REFUSED: &str = r#"
echo '{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: STATUS x"}}'
exit 1"#;

/// What an agent program does when it is run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Deed<'a> {
    /// These commands of a shell's, and then it ends well.
    Does(&'a str),
    /// Its provider refuses before its model did anything, with this status of HTTP's.
    Refused(u16),
}

/// Has the Claude Code of `desk` do this from now on.
pub(crate) fn claude(desk: &Desk, deed: Deed<'_>) {
    let script = match deed {
        Deed::Does(commands) => format!("cat >/dev/null\nbegin\n{commands}\ndone_well"),
        Deed::Refused(status) => CLAUDE_REFUSED.replace("STATUS", &status.to_string()),
    };
    write_agent(&desk.path("bin/claude"), &script);
}

/// Has the Codex of `desk` do this from now on.
pub(crate) fn codex(desk: &Desk, deed: Deed<'_>) {
    let script = match deed {
        Deed::Does(commands) => format!("begin\n{commands}\ndone_well"),
        Deed::Refused(status) => CODEX_REFUSED.replace("STATUS", &status.to_string()),
    };
    let program: PathBuf = desk.path("bin/codex");
    fs::write(&program, format!("{CODEX}{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A desk with both, whose runs are held by nothing so that the programs reach what a test puts beside them.
pub(crate) fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("home/.config/callbox/config.toml", "isolation = \"none\"\n");
    claude(&desk, Deed::Does(""));
    codex(&desk, Deed::Does(""));
    desk
}

/// `callbox` of whoever has keys for both.
pub(crate) fn with_keys(call: Call) -> Call {
    call.variable("ANTHROPIC_API_KEY", "sk-ant-dummy").variable("CODEX_API_KEY", "sk-dummy")
}
