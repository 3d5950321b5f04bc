//! The three programs that speak the Agent Client Protocol, and what a fake model says to each.

use serde_json::{Value, json};

use super::{
    agent::Desk as AgentDesk,
    cli::Desk,
    fake_model::{Script, Step},
    office::Office,
};

/// One of them.
#[derive(Debug)]
pub(crate) struct Bridge {
    /// What callbox calls it.
    pub(crate) agent: &'static str,
    /// By what its own process is known.
    pub(crate) process: &'static str,
    /// The tool that runs a command, and the name of its argument.
    shell: (&'static str, &'static str),
    /// What a denial of that is called, and of an edit.
    pub(crate) denied: (&'static str, &'static str),
    /// What asks a person.
    ask: &'static str,
    /// What the four tools' names begin with.
    pub(crate) own: &'static str,
}

/// `claude-agent-acp`.
pub(crate) const CLAUDE: Bridge = Bridge {
    agent: "claude-acp",
    process: "bin/claude-agent-acp",
    shell: ("Bash", "command"),
    denied: ("Bash", "Write"),
    ask: "ask_user",
    own: "mcp__callbox__",
};

/// `codex-acp`.
pub(crate) const CODEX: Bridge = Bridge {
    agent: "codex-acp",
    process: "bin/codex-acp -c",
    shell: ("exec_command", "cmd"),
    denied: ("execute", "edit"),
    ask: "ask_user",
    own: "mcp__callbox__",
};

/// `gemini --acp`.
pub(crate) const GEMINI: Bridge = Bridge {
    agent: "gemini-acp",
    process: "bin/gemini --acp",
    shell: ("run_shell_command", "command"),
    denied: ("run_shell_command", "write_file"),
    ask: "ask_human",
    own: "mcp_callbox_",
};

impl Bridge {
    /// It runs a command.
    pub(crate) fn shell(&self, command: &str) -> Step {
        let (tool, argument) = self.shell;
        Step::call(tool, json!({argument: command}))
    }

    /// It writes `x` into the file `path`.
    pub(crate) fn write(&self, path: &str) -> Step {
        match self.agent {
            "claude-acp" => Step::call("Write", json!({"file_path": path, "content": "x"})),
            "codex-acp" => {
                let diff = format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n");
                Step::call("apply_patch", json!(diff))
            }
            _ => Step::call("write_file", json!({"file_path": path, "content": "x"})),
        }
    }

    /// It asks a person.
    pub(crate) fn ask(&self, question: &str) -> Step {
        self.ask_with(json!({"question": question}))
    }

    /// The same, with `arguments`.
    pub(crate) fn ask_with(&self, arguments: Value) -> Step {
        Step::call(self.ask, arguments)
    }

    /// The name of the tool that asks a person.
    pub(crate) fn asking(&self) -> &'static str {
        self.ask
    }

    /// It reports.
    pub(crate) fn summary(words: &str) -> Step {
        Step::call("report_summary", json!({"summary": words}))
    }

    /// A person who has it, and a model that plays `script`; `None` where it is not installed.
    #[track_caller]
    pub(crate) fn office(&self, script: Script) -> Option<Office> {
        self.office_at(Desk::new(), script)
    }

    /// The same, at `desk`.
    #[track_caller]
    pub(crate) fn office_at(&self, desk: Desk, script: Script) -> Option<Office> {
        Office::of(self.agent, desk, script)
    }

    /// Its own surroundings, with a model that plays `script`; `None` where it is not installed.
    #[track_caller]
    pub(crate) fn desk(&self, script: Script) -> Option<AgentDesk> {
        AgentDesk::of(self.agent, script)
    }
}

/// Makes a test of each law for each of the three: `claude::law`, `codex::law`, `gemini::law`.
macro_rules! over_bridges {
    ($($law:ident),* $(,)?) => {
        mod claude { $(#[test] fn $law() { super::$law(&crate::support::bridges::CLAUDE) })* }
        mod codex { $(#[test] fn $law() { super::$law(&crate::support::bridges::CODEX) })* }
        mod gemini { $(#[test] fn $law() { super::$law(&crate::support::bridges::GEMINI) })* }
    };
}
pub(crate) use over_bridges;
