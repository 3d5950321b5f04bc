//! A person's acts on a task.

use super::{
    budget,
    failure::Failure,
    news::News,
    transition::{Applied, Occasion, apply},
};
use crate::{
    database::{Write, rows::message},
    domain::{TaskEvent, Unsaid},
    ids::TaskNumber,
    protocol::error::ErrorCode,
    vocabulary::Budget,
};

/// Characters of a person's words to an agent.
const MAX_WORDS: usize = 20_000;

/// Takes the task up again, with `words` for its agent and new limits for its tree where there are any.
pub(super) fn resume(
    write: &mut Write<'_>,
    number: TaskNumber,
    words: Option<&str>,
    limits: Budget,
    occasion: &Occasion,
) -> Result<Applied, Failure> {
    budget::raise(write, number, limits)?;
    let applied = apply(write, number, &TaskEvent::Resume, occasion)?;
    if let Some(words) = words {
        say(write, number, &Unsaid::Words(checked(words)?), words, occasion)?;
    }
    Ok(applied)
}

/// Sends the task's work back to its agent, with `comment`.
pub(super) fn reject(
    write: &mut Write<'_>,
    number: TaskNumber,
    comment: &str,
    occasion: &Occasion,
) -> Result<Applied, Failure> {
    let applied = apply(write, number, &TaskEvent::Reject, occasion)?;
    say(write, number, &Unsaid::Rejection(checked(comment)?), comment, occasion)?;
    Ok(applied)
}

fn checked(words: &str) -> Result<String, Failure> {
    if words.trim().is_empty() || words.chars().count() > MAX_WORDS {
        let message = format!("a message must have 1 to {MAX_WORDS} characters");
        return Err(Failure::refused(ErrorCode::Invalid, message));
    }
    Ok(words.to_owned())
}

fn say(
    write: &mut Write<'_>,
    number: TaskNumber,
    unsaid: &Unsaid,
    words: &str,
    occasion: &Occasion,
) -> Result<(), Failure> {
    message::insert(write, number, message::Origin::Person, unsaid, occasion.now)?;
    News::of_task(number, "message").tell(write, words, occasion)
}
