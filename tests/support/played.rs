//! What a turn of the scripted agent came to.

use std::{os::unix::process::ExitStatusExt as _, process::ExitStatus};

use callbox::{
    agents::{Adapter as _, Beforehand, Conclusion, Scripted},
    vocabulary::Exit,
};
use serde_json::{Value, json};

/// A turn that ended.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) lines: Vec<String>,
    pub(crate) status: ExitStatus,
    pub(crate) stderr: String,
}

impl Played {
    /// What it said.
    pub(crate) fn events(&self) -> Vec<Value> {
        events(&self.lines)
    }

    /// The names of what it said.
    pub(crate) fn names(&self) -> Vec<String> {
        self.events().iter().map(|event| event["event"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Its result.
    #[track_caller]
    pub(crate) fn result(&self) -> Value {
        let last = self.events().pop().unwrap_or_default();
        assert_eq!(last["event"], "result", "{self:?}");
        last
    }

    /// Fails unless it ended well, with `message`.
    #[track_caller]
    pub(crate) fn well(&self, message: &str) {
        let result = self.result();
        let given = (&result["is_error"], &result["message"], self.status.code());
        assert_eq!(given, (&json!(false), &json!(message), Some(0)), "{self:?}");
    }

    /// Fails unless it ended badly, with `code`; what it says about it.
    #[track_caller]
    pub(crate) fn badly(&self, code: &str) -> String {
        let result = self.result();
        let given = (&result["is_error"], &result["code"], self.status.code());
        assert_eq!(given, (&json!(true), &json!(code), Some(1)), "{self:?}");
        result["message"].as_str().unwrap().to_owned()
    }

    /// How the adapter understands it.
    pub(crate) fn conclusion(&self) -> Conclusion {
        let mut reader = Scripted.reader(&Beforehand::default());
        for line in &self.lines {
            reader.line(line.as_bytes());
        }
        let exit = match (self.status.code(), self.status.signal()) {
            (Some(status), _) => Exit::Code(status),
            (None, signal) => Exit::Signal(signal.unwrap()),
        };
        reader.conclude(exit, &self.stderr)
    }
}

/// Lines as the events they are.
pub(crate) fn events(lines: &[String]) -> Vec<Value> {
    lines
        .iter()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")))
        .collect()
}
