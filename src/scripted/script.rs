//! Reads a script, a YAML list of steps, and names every fault with its line.

mod fields;
mod item;

use std::time::Duration;

use serde_json::{Map, Value as Json};

pub use self::item::STEPS;
use self::{
    fields::{fields, needed},
    item::Item,
};
use super::step::{Call, Step};
use crate::{
    document::{Faults, FileFault, Node, Value, entries, json, number, read_yaml, text, whole},
    ids::parse_duration,
};

/// The most that one `flood` says, in bytes: 8 GiB.
const MAX_FLOOD: u64 = 8 << 30;

/// Instructions that cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the instructions are no list of steps: {faults}")]
pub struct WrongScript {
    /// Everything that is wrong, each with its line, in one line.
    pub faults: String,
}

impl WrongScript {
    /// What instructions look like, and the words they are made of.
    pub fn hint() -> String {
        format!("write a list such as `- print: hello`; the steps are {}", STEPS.join(", "))
    }
}

/// Whether `instructions` are a list of steps: what a task is refused for before it is queued.
pub fn check(instructions: &str) -> Result<(), WrongScript> {
    read(instructions).map(drop)
}

/// The steps of `script`.
pub(super) fn read(script: &str) -> Result<Vec<Step>, WrongScript> {
    read_steps(script).map_err(|faults| {
        let lines: Vec<String> = faults.iter().map(|fault| format!("line {fault}")).collect();
        WrongScript { faults: lines.join("; ") }
    })
}

fn read_steps(script: &str) -> Result<Vec<Step>, Vec<FileFault>> {
    let tree = read_yaml(script, 1)?;
    let mut faults = Faults::default();
    let items = match &tree.value {
        Value::List(items) => items.as_slice(),
        other => {
            faults.document(tree.line, format!("a list of steps is expected here, not {}", other.kind()));
            &[]
        }
    };
    let steps = items.iter().filter_map(|node| step(node, &mut faults)).collect();
    faults.into_result(steps)
}

fn step(node: &Node, faults: &mut Faults) -> Option<Step> {
    let item = Item::read(node, faults)?;
    let value = &item.value;
    match item.word {
        "progress" => Some(tool("record_progress", "message", &item)),
        "ask" => Some(tool("ask_user", "question", &item)),
        "summary" => Some(tool("report_summary", "summary", &item)),
        "subtask" => Some(tool("spawn_subtask", "name", &item)),
        "call" => call(&item, faults),
        "write" => {
            let [path, content] = fields(value, "write", ["path", "text"], faults)?;
            let path =
                needed(path, value, "write.path", faults).and_then(|path| words(path, "write.path", faults));
            let content = needed(content, value, "write.text", faults)
                .and_then(|content| words(content, "write.text", faults));
            Some(Step::Write { path: path?, text: content? })
        }
        "commit" => words(value, "commit", faults).map(Step::Commit),
        "print" => words(value, "print", faults).map(Step::Print),
        "sleep" => duration(value, "sleep", faults).map(Step::Sleep),
        "cost" => number(value, "cost", faults).map(Step::Cost),
        "rate_limit" => rate_limit(value, faults),
        "deny" => words(value, "deny", faults).map(Step::Deny),
        "auth" => bare(value, Step::Auth, "auth", faults),
        "exit" => {
            let status = whole(value, "exit", (0, u64::from(u8::MAX)), faults)?;
            u8::try_from(status).ok().map(Step::Exit)
        }
        "crash" => bare(value, Step::Crash, "crash", faults),
        "hang" => bare(value, Step::Hang, "hang", faults),
        "orphan" => {
            let [sleep] = fields(value, "orphan", ["sleep"], faults)?;
            let sleep = needed(sleep, value, "orphan.sleep", faults)?;
            duration(sleep, "orphan.sleep", faults).map(Step::Orphan)
        }
        "flood" => {
            let [bytes] = fields(value, "flood", ["bytes"], faults)?;
            let bytes = needed(bytes, value, "flood.bytes", faults)?;
            whole(bytes, "flood.bytes", (1, MAX_FLOOD), faults).map(Step::Flood)
        }
        "prose_question" => words(value, "prose_question", faults).map(Step::ProseQuestion),
        other => {
            faults.field(node.line, other, "cannot be played");
            None
        }
    }
}

/// A call of `tool`: with the arguments in the step's map as they stand, since the tool itself says what
/// is wrong with them, or with one value as the argument `main`.
fn tool(tool: &str, main: &str, item: &Item) -> Step {
    let arguments = match json(&item.value) {
        Json::Object(arguments) => arguments,
        value => Map::from_iter([(main.to_owned(), value)]),
    };
    Step::Call(Call { tool: tool.to_owned(), arguments, refused: item.refused, then: item.then })
}

fn call(item: &Item, faults: &mut Faults) -> Option<Step> {
    let [tool, arguments] = fields(&item.value, "call", ["tool", "arguments"], faults)?;
    let tool =
        needed(tool, &item.value, "call.tool", faults).and_then(|tool| words(tool, "call.tool", faults));
    let arguments = match arguments {
        None => Map::new(),
        Some(node) => {
            entries(node, "call.arguments", faults)?;
            json(node).as_object().cloned().unwrap_or_default()
        }
    };
    Some(Step::Call(Call { tool: tool?, arguments, refused: item.refused, then: item.then }))
}

fn rate_limit(value: &Node, faults: &mut Faults) -> Option<Step> {
    if value.value == Value::Null {
        return Some(Step::RateLimit(None));
    }
    let [reset] = fields(value, "rate_limit", ["reset"], faults)?;
    match reset {
        None => Some(Step::RateLimit(None)),
        Some(reset) => duration(reset, "rate_limit.reset", faults).map(|reset| Step::RateLimit(Some(reset))),
    }
}

/// `step`, whose word stands alone.
fn bare(value: &Node, step: Step, field: &str, faults: &mut Faults) -> Option<Step> {
    if value.value == Value::Null {
        return Some(step);
    }
    faults.field(value.line, field, format!("takes no value: write `- {field}`"));
    None
}

fn words(node: &Node, field: &str, faults: &mut Faults) -> Option<String> {
    text(node, field, faults).map(str::to_owned)
}

fn duration(node: &Node, field: &str, faults: &mut Faults) -> Option<Duration> {
    let written = text(node, field, faults)?;
    parse_duration(written).map_err(|error| faults.field(node.line, field, error.to_string())).ok()
}

#[cfg(test)]
mod tests;
