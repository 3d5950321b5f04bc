//! Plays the steps from where the conversation stands.

use super::{
    act::act,
    fill::filled,
    meter::Meter,
    say::{Line, say},
    session::Session,
    step::{Behind, Step},
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

/// What follows a step.
#[derive(Debug)]
pub(super) enum Next {
    /// The next one.
    Step,
    /// The next one, with what came in the result of this one.
    Told,
    /// The next one; these may have been the last words.
    Said(String),
    /// Nothing: the turn ended.
    End(Ended),
}

/// Plays what is left until the turn ends.
pub(super) async fn play(steps: &[Step], session: &mut Session, tools: &Tools) -> Ended {
    let mut meter = Meter::default();
    let mut last_words = "all steps are played".to_owned();
    while let Some(step) = steps.get(session.place()) {
        let step = filled(step, session.answer());
        if let Some(question) = step.question() {
            session.asks(question);
        }
        let id = session.place().to_string();
        let next = match step.behind() {
            Behind::OnceBegun => match session.advance() {
                Ok(()) => act(&id, &step, tools, &mut meter).await,
                Err(error) => Next::End(not_kept(&error)),
            },
            Behind::OnceDone => {
                let next = act(&id, &step, tools, &mut meter).await;
                // Behind however it ended, so that a resume does not fail at the same step again.
                session.advance().map_or_else(|error| Next::End(not_kept(&error)), |()| next)
            }
        };
        match next {
            Next::Step => {}
            Next::Told => say(&Line::Heard { call: &id }),
            Next::Said(words) => last_words = words,
            Next::End(ended) => return ended,
        }
    }
    Ended::Well(last_words)
}

fn not_kept(error: &std::io::Error) -> Ended {
    Ended::Badly { code: "session", message: format!("the conversation could not be kept: {error}") }
}
