//! What a fake model says to the real Gemini CLI, and a person who has it.

use serde_json::json;

use super::{
    cli::Desk,
    fake_model::{Script, Step},
    office::Office,
};

/// A person with Gemini CLI and a model that plays `script`; `None` where it is not installed.
#[track_caller]
pub(crate) fn office(script: Script) -> Option<Office> {
    Office::of("gemini", Desk::new(), script)
}

/// It runs a command.
pub(crate) fn shell(command: &str) -> Step {
    Step::call("run_shell_command", json!({"command": command}))
}

/// It writes `x` into a file.
pub(crate) fn write(path: &str) -> Step {
    Step::call("write_file", json!({"file_path": path, "content": "x"}))
}

/// It asks a person.
pub(crate) fn ask(question: &str) -> Step {
    Step::call("ask_human", json!({"question": question}))
}

/// It reports.
pub(crate) fn summary(words: &str) -> Step {
    Step::call("report_summary", json!({"summary": words}))
}
