//! Which step a request gets.

use std::path::PathBuf;

use serde_json::Value;

use super::{Refusal, Request, Script, Step};

/// What the model answers.
#[derive(Debug)]
pub(super) enum Reply {
    /// Words, which end the turn.
    Words(String),
    /// A call of the tool of this full name.
    Call(String, Value),
    /// A refusal.
    Refused(Refusal),
    /// Nothing, ever.
    Never,
    /// This, once the file is there.
    Once(PathBuf, Box<Reply>),
}

/// The reply to `request`, which is the `asked`th (from 0) that offers tools.
pub(super) fn reply(script: &Script, request: &Request, asked: usize) -> Reply {
    let offered = request.offered();
    if offered.is_empty() {
        return Reply::Words("a side request".to_owned());
    }
    let mut before = 0;
    for refusal in &script.refusals {
        before = refusal.times.saturating_add(before);
        if asked < before {
            return Reply::Refused(refusal.clone());
        }
    }
    let said = request.said();
    let conversation = script
        .conversations
        .iter()
        .find(|conversation| said.iter().any(|text| text.contains(&conversation.about)));
    played(conversation.and_then(|conversation| conversation.steps.get(request.spoken())), &offered)
}

fn played(step: Option<&Step>, offered: &[String]) -> Reply {
    match step {
        None => Reply::Words("the script is over".to_owned()),
        Some(Step::Say(words)) => Reply::Words(words.clone()),
        Some(Step::Hang) => Reply::Never,
        Some(Step::Once(gate, step)) => Reply::Once(gate.clone(), Box::new(played(Some(step), offered))),
        Some(Step::Call(tool, arguments)) => match offered.iter().find(|name| is(name, tool)) {
            Some(name) => Reply::Call(name.clone(), arguments.clone()),
            // What was offered is what one needs to know then.
            None => Reply::Words(format!("no tool `{tool}` among {}", offered.join(", "))),
        },
    }
}

/// Whether `name` is how some program calls `tool`: `mcp__callbox__ask_user`, `callbox-ask_user`, …
fn is(name: &str, tool: &str) -> bool {
    name.strip_suffix(tool).is_some_and(|rest| rest.is_empty() || rest.ends_with(['_', '.', '-', '/']))
}
