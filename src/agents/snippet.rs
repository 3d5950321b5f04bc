//! The configuration that a person gives an agent program by hand, in the form that program reads.

use serde_json::{Map, Value, json};

use super::mcp_config::{
    Limit, SERVER_NAME, TOOL_LIMIT_SECONDS, Wiring, claude_fields, gemini_fields, shim_environment,
    shim_server,
};

/// Whose form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Claude Code's, for `--mcp-config`.
    Claude,
    /// Codex's, for `config.toml`.
    Codex,
    /// Gemini CLI's, for `settings.json`.
    Gemini,
    /// The one that most programs read.
    Json,
}

/// The configuration in `form`. It contains the token.
pub fn snippet(form: Form, wiring: &Wiring<'_>) -> String {
    match form {
        Form::Json => servers(&shim_server(wiring, Limit::Unknown)),
        Form::Claude => {
            let mut server = shim_server(wiring, Limit::Told);
            server.extend(claude_fields());
            servers(&server)
        }
        Form::Gemini => {
            let mut server = shim_server(wiring, Limit::Told);
            server.remove("type");
            server.extend(gemini_fields());
            servers(&server)
        }
        Form::Codex => codex(wiring),
    }
}

fn servers(server: &Map<String, Value>) -> String {
    let whole = json!({ "mcpServers": { SERVER_NAME: server } });
    format!("{whole:#}\n")
}

/// What JSON writes for a text TOML reads as the same.
fn codex(wiring: &Wiring<'_>) -> String {
    let variables = shim_environment(wiring, Limit::Told);
    let variables: Vec<String> = variables.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let command = json!(wiring.shim.to_string_lossy());
    // Without being told so it refuses tools that change something, and goes on without a server that fails.
    format!(
        "[mcp_servers.{SERVER_NAME}]\ncommand = {command}\nargs = []\nenv = {{ {} }}\n\
         default_tools_approval_mode = \"approve\"\nrequired = true\ntool_timeout_sec = {TOOL_LIMIT_SECONDS}\n",
        variables.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::ids::{ExecutionNumber, Secret};

    #[test]
    fn every_form_names_the_shim_and_hands_it_the_token_in_its_environment_alone() {
        let token = Secret::new("cbx_canary");
        let wiring = Wiring {
            shim: Path::new("/o\"pt/callbox-mcp"),
            socket: Path::new("/state/agent.sock"),
            token: &token,
            execution: ExecutionNumber::new(31),
        };
        for form in [Form::Claude, Form::Gemini, Form::Json] {
            let read: Value = serde_json::from_str(&snippet(form, &wiring)).unwrap();
            let server = &read["mcpServers"]["callbox"];
            assert_eq!(server["command"], "/o\"pt/callbox-mcp", "{form:?}");
            assert_eq!(server["env"]["CALLBOX_TOKEN"], "cbx_canary", "{form:?}");
            assert_eq!(server["env"]["CALLBOX_EXECUTION"], "x31", "{form:?}");
            let asks_as = (form == Form::Gemini).then_some("ask_human");
            assert_eq!(server["args"][1].as_str(), asks_as, "{form:?}");
        }
        let codex = snippet(Form::Codex, &wiring);
        let wanted = [
            "[mcp_servers.callbox]\n",
            "command = \"/o\\\"pt/callbox-mcp\"\n",
            "CALLBOX_TOKEN = \"cbx_canary\"",
        ];
        assert!(wanted.iter().all(|part| codex.contains(part)), "{codex}");
        assert!(!codex.split_once("\nenv").unwrap().0.contains("canary"), "{codex}");
    }
}
