//! The steps that call callbox's tools.

use super::{
    play::{Ended, Next},
    say::{Line, say},
    step::{Call, Refused, Then},
    tools::Tools,
};

use crate::vocabulary::CAME_MEANWHILE;

/// The arguments that say to a person what a call is about, each tool's first.
const SAYING: [&str; 4] = ["message", "question", "summary", "name"];

/// Makes `call` under the name `id`, whose arguments are filled in.
pub(super) async fn make(id: &str, call: &Call, tools: &Tools) -> Next {
    say(&Line::Activity { text: &activity(call) });
    let badly = |message: &str| {
        Next::End(Ended::Badly { code: "tool", message: format!("`{}`: {message}", call.tool) })
    };
    let answer = match tools.call(id, &call.tool, call.arguments.clone()).await {
        Ok(answer) => answer,
        // Nothing that a script may foresee, so `may_fail` says nothing about it.
        Err(message) => return badly(&message),
    };
    say(&Line::Text { text: &answer.text });
    match (answer.refused, call.refused, call.then) {
        (true, Refused::Fails, _) => badly(&answer.text),
        (false, _, Then::EndTurn) => Next::End(Ended::Well("I have asked and end my turn".to_owned())),
        _ if answer.text.contains(CAME_MEANWHILE) => Next::Told,
        _ => Next::Step,
    }
}

fn activity(call: &Call) -> String {
    match SAYING.iter().find_map(|name| call.arguments.get(*name)?.as_str()) {
        Some(words) => format!("{}: {words}", call.tool),
        None => call.tool.clone(),
    }
}
