//! Which step a request gets.

use std::path::PathBuf;

use super::{Refusal, Request, Script, Step, dialect::Speech};

/// What the model answers.
#[derive(Debug)]
pub(super) enum Reply {
    /// A turn of its own.
    Said(Speech),
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
        return words("a side request");
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
    played(conversation.and_then(|conversation| conversation.steps.get(request.spoken())), request, &offered)
}

fn played(step: Option<&Step>, request: &Request, offered: &[String]) -> Reply {
    match step {
        None => words("the script is over"),
        Some(Step::Say(said)) => words(said),
        Some(Step::Hang) => Reply::Never,
        Some(Step::Once(gate, step)) => {
            Reply::Once(gate.clone(), Box::new(played(Some(step), request, offered)))
        }
        Some(Step::Call(tool, arguments)) => match request.called(offered, tool) {
            Some(name) => Reply::Said(Speech::Call(name, arguments.clone())),
            // What was offered is what one needs to know then.
            None => words(&format!("no tool `{tool}` among {}", offered.join(", "))),
        },
    }
}

fn words(words: &str) -> Reply {
    Reply::Said(Speech::Words(words.to_owned()))
}

/// The first of the `offered` that is how some program calls `tool`.
pub(super) fn among(offered: &[String], tool: &str) -> Option<String> {
    offered.iter().find(|name| is(name, tool)).cloned()
}

/// Whether `name` is how some program calls `tool`: `mcp__callbox__ask_user`, `callbox-ask_user`, …
fn is(name: &str, tool: &str) -> bool {
    name.strip_suffix(tool).is_some_and(|rest| rest.is_empty() || rest.ends_with(['_', '.', '-', '/']))
}
