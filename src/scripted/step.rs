//! The steps, and how a list of them is read: every fault with its line.

use std::time::Duration;

use serde_json::{Map, Value as Json};

use crate::{
    document::{Faults, Node, Value, json, list, number, read_yaml, text, unknown, whole},
    ids::parse_duration,
};

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// A call of a tool of callbox's.
    Call {
        /// The tool.
        tool: String,
        /// Its arguments, with `{answer}` not yet filled in.
        arguments: Map<String, Json>,
        /// What follows when the tool refuses.
        refused: Refused,
        /// What follows when it does not.
        then: Then,
    },
    /// Writes a file below the working directory.
    Write {
        /// Relative.
        path: String,
        /// Its whole content.
        text: String,
    },
    /// Commits everything.
    Commit(String),
    /// Says something.
    Print(String),
    /// Lets time pass.
    Sleep(Duration),
    /// Reports dollars spent.
    Cost(f64),
    /// Its provider refuses for now.
    RateLimit(Option<Duration>),
    /// A tool of its own is denied.
    Deny(String),
    /// Its provider refuses the login.
    Auth,
    /// Exits without a result.
    Exit(u8),
    /// Dies of a signal.
    Crash,
    /// Ignores SIGTERM and never ends.
    Hang,
    /// Leaves a grandchild in a session of its own.
    Orphan(Duration),
    /// Says very much.
    Flood(u64),
    /// Ends its turn with a question that nobody recorded.
    ProseQuestion(String),
}

/// What follows when a tool refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// The run ends badly.
    Fails,
    /// The next step.
    GoesOn,
}

/// What follows when a tool does not refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// The next step.
    GoOn,
    /// The turn ends.
    EndTurn,
}

const WORDS: &[&str] = &[
    "progress",
    "ask",
    "summary",
    "subtask",
    "call",
    "write",
    "commit",
    "print",
    "sleep",
    "cost",
    "rate_limit",
    "deny",
    "auth",
    "exit",
    "crash",
    "hang",
    "orphan",
    "flood",
    "prose_question",
];

/// Reads a YAML list of steps.
pub(super) fn steps(script: &str) -> Result<Vec<Step>, Vec<String>> {
    let say = |faults: Vec<crate::document::FileFault>| {
        faults.iter().map(|fault| format!("line {fault}")).collect::<Vec<_>>()
    };
    let tree = read_yaml(script, 1).map_err(say)?;
    let mut faults = Faults::default();
    let items = list(&tree, "steps", &mut faults).unwrap_or_default();
    let steps = items.iter().filter_map(|item| step(item, &mut faults)).collect();
    faults.into_result(steps).map_err(say)
}

fn step(node: &Node, faults: &mut Faults) -> Option<Step> {
    let (word, value, extra) = match &node.value {
        Value::Text(word) => (word.as_str(), &Node { line: node.line, value: Value::Null }, None),
        Value::Map(entries) => {
            let main = entries.iter().find(|entry| WORDS.contains(&entry.key.as_str()));
            let Some(main) = main else {
                if let Some(entry) = entries.first() {
                    unknown(entry, "", WORDS.iter().copied(), faults);
                }
                return None;
            };
            (main.key.as_str(), &main.value, Some(entries))
        }
        _ => {
            faults.document(node.line, "a step is a word or a word with its value");
            return None;
        }
    };
    let yes = |name: &str| {
        let in_value = match &value.value {
            Value::Map(entries) => entries.iter().find(|entry| entry.key == name),
            _ => None,
        };
        let found = in_value.or_else(|| extra?.iter().find(|entry| entry.key == name));
        found.is_some_and(|entry| matches!(entry.value.value, Value::Flag(true, _)))
    };
    let refused = if yes("may_fail") { Refused::GoesOn } else { Refused::Fails };
    let tool = |tool: &str, main: &str, then: Then| {
        Some(Step::Call { tool: tool.to_owned(), arguments: arguments(value, main), refused, then })
    };
    match word {
        "progress" => tool("record_progress", "message", Then::GoOn),
        "summary" => tool("report_summary", "summary", Then::GoOn),
        "subtask" => tool("spawn_subtask", "name", Then::GoOn),
        "ask" => tool("ask_user", "question", if yes("keep_working") { Then::GoOn } else { Then::EndTurn }),
        "call" => call(value, refused, faults),
        "write" => Some(Step::Write {
            path: field(value, "path", "write.path", faults)?,
            text: field(value, "text", "write.text", faults)?,
        }),
        "commit" => text(value, "commit", faults).map(|message| Step::Commit(message.to_owned())),
        "print" => text(value, "print", faults).map(|words| Step::Print(words.to_owned())),
        "sleep" => duration(value, "sleep", faults).map(Step::Sleep),
        "cost" => number(value, "cost", faults).map(Step::Cost),
        "rate_limit" => Some(Step::RateLimit(
            within(value, "reset").and_then(|reset| duration(reset, "rate_limit.reset", faults)),
        )),
        "deny" => text(value, "deny", faults).map(|tool| Step::Deny(tool.to_owned())),
        "auth" => Some(Step::Auth),
        "exit" => whole(value, "exit", (0, 255), faults)
            .and_then(|status| u8::try_from(status).ok())
            .map(Step::Exit),
        "crash" => Some(Step::Crash),
        "hang" => Some(Step::Hang),
        "orphan" => {
            duration(within(value, "sleep").unwrap_or(value), "orphan.sleep", faults).map(Step::Orphan)
        }
        "flood" => whole(within(value, "bytes").unwrap_or(value), "flood.bytes", (1, 1 << 33), faults)
            .map(Step::Flood),
        "prose_question" => {
            text(value, "prose_question", faults).map(|words| Step::ProseQuestion(words.to_owned()))
        }
        other => {
            faults.field(node.line, other, "is no step");
            None
        }
    }
}

/// The arguments of a tool: a map as it stands, or one value for the argument that matters most.
fn arguments(value: &Node, main: &str) -> Map<String, Json> {
    match json(value) {
        Json::Object(mut arguments) => {
            arguments.remove("keep_working");
            arguments.remove("may_fail");
            arguments
        }
        other => Map::from_iter([(main.to_owned(), other)]),
    }
}

fn call(value: &Node, refused: Refused, faults: &mut Faults) -> Option<Step> {
    let tool = field(value, "tool", "call.tool", faults)?;
    let arguments = match within(value, "arguments").map(json) {
        Some(Json::Object(arguments)) => arguments,
        None => Map::new(),
        Some(_) => {
            faults.field(value.line, "call.arguments", "must be a map");
            return None;
        }
    };
    Some(Step::Call { tool, arguments, refused, then: Then::GoOn })
}

fn within<'a>(value: &'a Node, key: &str) -> Option<&'a Node> {
    match &value.value {
        Value::Map(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value),
        _ => None,
    }
}

fn field(value: &Node, key: &str, name: &str, faults: &mut Faults) -> Option<String> {
    if let Some(node) = within(value, key) {
        return text(node, name, faults).map(str::to_owned);
    }
    faults.field(value.line, name, "is missing");
    None
}

fn duration(value: &Node, name: &str, faults: &mut Faults) -> Option<Duration> {
    let written = text(value, name, faults)?;
    parse_duration(written).map_err(|error| faults.field(value.line, name, error.to_string())).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_word_of_the_contract_is_read() {
        let script = "
- progress: on my way
- ask: {question: Which?, options: [a, b], keep_working: yes}
- summary: {summary: done, outcome: partial}
- subtask: {name: n, instructions: '- print: x'}
- call: {tool: record_progress, arguments: {message: x}}
- write: {path: a/b, text: hello}
- commit: a message
- print: words
- sleep: 500ms
- cost: 0.25
- rate_limit: {reset: 5s}
- deny: Bash
- auth
- exit: 3
- crash
- hang
- orphan: {sleep: 60s}
- flood: {bytes: 10}
- prose_question: Shall I?
";
        assert_eq!(steps(script).unwrap().len(), WORDS.len());
    }

    #[test]
    fn every_fault_is_named_by_its_line() {
        let faults = steps("- progres: x\n- sleep: soon\n- exit: 999\n").unwrap_err();
        assert_eq!(faults.len(), 3, "{faults:?}");
        assert!(faults[0].starts_with("line 1: `progres`"), "{faults:?}");
    }

    proptest! {
        #[test]
        fn no_script_makes_the_parser_panic(script in ".{0,200}") {
            let _ = steps(&script);
        }
    }
}
