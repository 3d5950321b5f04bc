//! The last answer in the place of `{answer}`.

use serde_json::Value as Json;

use super::step::{Call, Step};

/// What stands for the last answer.
const ANSWER: &str = "{answer}";

/// `step` with `answer` filled into each of its texts, those within a tool's arguments too. Without an
/// answer the texts stay as they are, so that a script which speaks too early is seen to.
pub(super) fn filled(step: &Step, answer: Option<&str>) -> Step {
    let Some(answer) = answer else { return step.clone() };
    let fill = |text: &String| text.replace(ANSWER, answer);
    match step {
        Step::Call(call) => Step::Call(Call {
            arguments: call
                .arguments
                .iter()
                .map(|(name, value)| (name.clone(), filled_value(value, answer)))
                .collect(),
            ..call.clone()
        }),
        Step::Write { path, text } => Step::Write { path: fill(path), text: fill(text) },
        Step::Commit(message) => Step::Commit(fill(message)),
        Step::Print(words) => Step::Print(fill(words)),
        Step::Deny(tool) => Step::Deny(fill(tool)),
        Step::ProseQuestion(words) => Step::ProseQuestion(fill(words)),
        Step::Sleep(_)
        | Step::Cost(_)
        | Step::RateLimit(_)
        | Step::Auth
        | Step::Exit(_)
        | Step::Crash
        | Step::Hang
        | Step::Orphan(_)
        | Step::Flood(_) => step.clone(),
    }
}

fn filled_value(value: &Json, answer: &str) -> Json {
    match value {
        Json::String(text) => Json::String(text.replace(ANSWER, answer)),
        Json::Array(items) => items.iter().map(|item| filled_value(item, answer)).collect(),
        Json::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), filled_value(value, answer))).collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::scripted::step::{Refused, Then};

    #[test]
    fn the_answer_reaches_every_text_however_deep_and_is_not_filled_again() {
        let call = |arguments: Json| {
            let arguments = arguments.as_object().unwrap().clone();
            Step::Call(Call { tool: "t".into(), arguments, refused: Refused::Fails, then: Then::GoOn })
        };
        let before = call(json!({"a": "{answer}", "b": ["x {answer}", {"c": "{answer}{answer}"}], "n": 1}));
        let after =
            call(json!({"a": "<{answer}>", "b": ["x <{answer}>", {"c": "<{answer}><{answer}>"}], "n": 1}));
        assert_eq!(filled(&before, Some("<{answer}>")), after);
        let write = Step::Write { path: "{answer}".into(), text: "{answer}!".into() };
        assert_eq!(filled(&write, Some("a")), Step::Write { path: "a".into(), text: "a!".into() });
    }

    #[test]
    fn without_an_answer_nothing_changes() {
        let print = Step::Print("{answer}".into());
        assert_eq!(filled(&print, None), print);
    }
}
