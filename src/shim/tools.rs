//! The four tools as a client sees them.
//!
//! Written by hand, because of what clients do with anything finer: flat objects, one `type` per
//! property, no `$ref`, `anyOf`, `format` or list of types. The numbers come from the limits that
//! calls are checked against. No output schema: some clients would show the model that instead of
//! the text, and the text says what to do next.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::ask_name::AskName;
use crate::vocabulary::tools::limits::{self, Count, Length};

/// What the server says about itself to the model.
pub(super) fn instructions(ask_as: &AskName) -> String {
    format!(
        "You work on one task, alone, and a person is in charge of it. These tools are your line to them. \
         Nothing here waits: every call is recorded and answered at once. When only the person can decide \
         something, call `{ask}` and end your turn; you are resumed with the answer. Call \
         `record_progress` at each milestone, `spawn_subtask` for work that can be done apart from yours, \
         and `report_summary` before you end your last turn.",
        ask = ask_as.as_str()
    )
}

/// The tools, sorted by name.
pub(super) fn tools(ask_as: &AskName) -> Vec<Tool> {
    let mut tools = vec![ask_user(ask_as), record_progress(), report_summary(), spawn_subtask()];
    tools.sort_by(|one, two| one.name.cmp(&two.name));
    tools
}

fn ask_user(ask_as: &AskName) -> Tool {
    tool(
        ask_as.as_str(),
        "Ask the person",
        "Ask the person in charge of this task a question that you cannot decide yourself: a choice \
         between designs that differ for them, a missing requirement, access you do not have. The question \
         is recorded and shown to them; nobody answers while you wait. After this call end your turn at \
         once. When they have answered, minutes or days later, you are resumed in this conversation and \
         this directory, with the answer as your next message. If you need several answers, make several \
         calls first and then end your turn. Do not use it for confirmation, for progress or to hand in \
         your work, do not ask again what was answered, and never ask for a password or key: answers are \
         stored. Say in the question what you would do without an answer.",
        Repeating::ChangesNothing,
        &json!({
            "type": "object",
            "properties": {
                "question": text(limits::QUESTION, "The question, understandable to someone who has not seen your work"),
                "options": texts(limits::OPTIONS, limits::OPTION, "Answers to choose from, the one you recommend first; leave out for a free answer"),
                "context": text(limits::CONTEXT, "What the person needs to know to answer: what you found, what depends on it")
            },
            "required": ["question"],
            "additionalProperties": false
        }),
    )
}

fn record_progress() -> Tool {
    tool(
        "record_progress",
        "Record progress",
        "Leave a short line for the person to see while you work: what you have just finished or are about \
         to do. Call it at milestones, not for every step, and go on working after it. The result confirms \
         the record and brings, where there are any, messages from the person and how much time and budget \
         is left; follow such a message as you would the task itself.",
        Repeating::AddsAnother,
        &json!({
            "type": "object",
            "properties": {
                "message": text(limits::MESSAGE, "What was done or comes next, in one sentence"),
                "percent": integer(limits::PERCENT, "How much of the task is done, as you estimate it")
            },
            "required": ["message"],
            "additionalProperties": false
        }),
    )
}

fn report_summary() -> Tool {
    tool(
        "report_summary",
        "Report what was done",
        "Report to the person what you did, once, when your work is finished and before you end your last \
         turn: what changed and why, how you checked it, what is left or known to be wrong. They read it \
         before anything else, often instead of anything else. A later call replaces an earlier one. Set \
         `outcome` honestly: `done` when all of the task is, `partial` when some is, `failed` when the run \
         is to count as failed. The result confirms the record; then end your turn.",
        Repeating::ChangesNothing,
        &json!({
            "type": "object",
            "properties": {
                "summary": text(limits::SUMMARY, "What was done, how it was checked, what is left; plain text or Markdown"),
                "outcome": {
                    "type": "string",
                    "enum": ["done", "partial", "failed"],
                    "description": "How much of the task is done; `done` when left out"
                }
            },
            "required": ["summary"],
            "additionalProperties": false
        }),
    )
}

fn spawn_subtask() -> Tool {
    tool(
        "spawn_subtask",
        "Queue a subtask",
        "Hand a part of the work that can be done apart from yours to another agent. It is queued as a task \
         of its own and starts from your last commit in a copy of its own, so commit first what it \
         needs; its work arrives on a branch of the project and not in your directory. It sees nothing of \
         this conversation: the instructions must say all that counts. Do not wait for it and do not do \
         its work yourself: when your own part is done, end your turn, and you are resumed with a report \
         of each subtask. The same name and instructions again return the first one; the same name with \
         other instructions is an error. Use `after` for subtasks that need the work of earlier ones.",
        Repeating::ChangesNothing,
        &json!({
            "type": "object",
            "properties": {
                "name": text(limits::NAME, "A short name, one line, unlike that of your other subtasks"),
                "instructions": text(limits::INSTRUCTIONS, "Everything the other agent has to know and do"),
                "agent": text(limits::AGENT, "Another agent program than yours, or `any` for whichever is free; only where the task asks for one"),
                "model": text(limits::MODEL, "Another model than yours; only where the task asks for one"),
                "after": texts(limits::AFTER, limits::NAME, "Names of your earlier subtasks that must be completed first")
            },
            "required": ["name", "instructions"],
            "additionalProperties": false
        }),
    )
}

/// What the same call made twice does, beyond what it did the first time.
#[derive(Clone, Copy)]
enum Repeating {
    ChangesNothing,
    AddsAnother,
}

fn tool(name: &str, title: &str, description: &str, repeating: Repeating, schema: &Value) -> Tool {
    // No tool reads only (each makes a record), none destroys anything, and all of them stay within
    // callbox's own store.
    let annotations = ToolAnnotations::with_title(title)
        .read_only(false)
        .destructive(false)
        .idempotent(matches!(repeating, Repeating::ChangesNothing))
        .open_world(false);
    let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name.to_owned(), description.to_owned(), schema).with_title(title).with_annotations(annotations)
}

fn text(length: Length, description: &str) -> Value {
    let mut property = string(length);
    property["description"] = description.into();
    property
}

fn string(length: Length) -> Value {
    match length.least {
        0 => json!({"type": "string", "maxLength": length.most}),
        least => json!({"type": "string", "minLength": least, "maxLength": length.most}),
    }
}

fn texts(count: Count, each: Length, description: &str) -> Value {
    json!({"type": "array", "items": string(each), "maxItems": count.most, "description": description})
}

fn integer(range: Count, description: &str) -> Value {
    json!({"type": "integer", "minimum": range.least, "maximum": range.most, "description": description})
}
