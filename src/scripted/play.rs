//! Plays the steps from where the conversation stands.

use serde_json::{Map, Value as Json};

use super::{
    act::act,
    say::{Line, say},
    session::Session,
    step::{Refused, Step, Then},
    tools::Tools,
};

/// How a turn ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// With these last words.
    Well(String),
    /// For this reason.
    Badly {
        /// As a code.
        code: &'static str,
        /// As a sentence.
        message: String,
    },
    /// Without a result, with this status.
    Silently(u8),
}

/// Plays what is left until the turn ends.
pub(super) async fn play(steps: &[Step], session: &mut Session, tools: &mut Tools) -> Ended {
    let mut last_words = "all steps are played".to_owned();
    while let Some(step) = steps.get(session.place()) {
        let outcome = match step {
            Step::Call { tool, arguments, refused, then } => {
                say(&Line::Activity { text: tool });
                match tools.call(tool, filled(session, arguments)).await {
                    Ok(answer) if answer.refused && *refused == Refused::Fails => {
                        Some(Ended::Badly { code: "tool", message: format!("`{tool}`: {}", answer.text) })
                    }
                    Ok(answer) => {
                        say(&Line::Text { text: &answer.text });
                        (*then == Then::EndTurn).then(|| Ended::Well("I have asked".to_owned()))
                    }
                    Err(message) => {
                        Some(Ended::Badly { code: "tool", message: format!("`{tool}`: {message}") })
                    }
                }
            }
            Step::Print(words) => {
                last_words = session.fill(words);
                say(&Line::Text { text: &last_words });
                None
            }
            other => act(other, session).await,
        };
        // A step that ended the turn in any way is behind, so that a resume goes on after it.
        if let Err(error) = session.advance() {
            return Ended::Badly { code: "session", message: format!("the session was not kept: {error}") };
        }
        if let Some(ended) = outcome {
            return ended;
        }
    }
    Ended::Well(last_words)
}

fn filled(session: &Session, arguments: &Map<String, Json>) -> Map<String, Json> {
    let fill = |value: &Json| match value {
        Json::String(text) => Json::String(session.fill(text)),
        other => other.clone(),
    };
    arguments.iter().map(|(name, value)| (name.clone(), fill(value))).collect()
}
