//! An agent that a person configures by hand, with what `callbox mcp-config` prints.

use std::{collections::BTreeMap, process::Command};

use serde_json::Value;

use super::{cli::Desk, shim::Shim};

/// A run that was opened, as its configuration says.
pub(crate) struct ByHand {
    command: String,
    args: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
}

impl ByHand {
    /// Opens one at `desk`, in the form that `agent` reads, with `more` arguments.
    #[track_caller]
    pub(crate) fn open(desk: &Desk, agent: &str, more: &[&str]) -> Self {
        let arguments = [&["mcp-config", "--for", agent], more].concat();
        Self::of(&desk.callbox(arguments).end().expect(0).stdout)
    }

    /// What `text` says, in whichever form.
    #[track_caller]
    pub(crate) fn of(text: &str) -> Self {
        let whole: Value = match serde_json::from_str(text) {
            Ok(json) => json,
            Err(_) => toml::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}")),
        };
        let servers = whole.get("mcpServers").or_else(|| whole.get("mcp_servers")).unwrap();
        let server = &servers["callbox"];
        let texts = |value: &Value| value.as_str().unwrap().to_owned();
        Self {
            command: texts(&server["command"]),
            args: server["args"].as_array().unwrap().iter().map(texts).collect(),
            env: server["env"].as_object().unwrap().iter().map(|(k, v)| (k.clone(), texts(v))).collect(),
        }
    }

    /// The shim, as an agent program starts it.
    pub(crate) fn shim(&self) -> Shim {
        let mut command = Command::new(&self.command);
        command.args(&self.args).env_clear().envs(&self.env);
        Shim::from(command).initialize()
    }

    /// Calls a tool: what it says, or why it was not recorded.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Result<String, String> {
        let mut command = Command::new(&self.command);
        command.args(["call", tool, &arguments.to_string()]).env_clear().envs(&self.env);
        let output = command.output().unwrap();
        let [said, complained] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        if output.status.success() { Ok(said) } else { Err(said + &complained) }
    }
}
