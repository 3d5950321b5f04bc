//! A person's acts on a task.

use super::{
    budget,
    failure::Failure,
    going_on::who_may,
    health,
    news::News,
    transition::{Applied, Occasion, apply, failed_predecessor},
};
use crate::{
    database::{
        Read, Write,
        rows::{execution, message, task},
    },
    domain::{TaskEvent, Unsaid, Urgency},
    ids::TaskNumber,
    protocol::error::{ApiError, ErrorCode},
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
    refuse_behind_failed(write, number)?;
    budget::raise(write, number, limits)?;
    let applied = apply(write, number, &TaskEvent::Resume, occasion)?;
    try_at_once(write, number, occasion)?;
    if let Some(words) = words {
        say(write, number, &Unsaid::Words(checked(words)?), words, occasion)?;
    }
    Ok(applied)
}

/// Refuses to take up what would fail again at once, for what it goes behind.
pub(super) fn refuse_behind_failed(read: &Read<'_>, number: TaskNumber) -> Result<(), Failure> {
    let row = task::get(read, number)?.ok_or_else(|| Failure::unknown(number))?;
    let Some(other) = failed_predecessor(read, &row)?.filter(|_| row.state.is_end()) else { return Ok(()) };
    let message = format!("{number} goes behind {}, which is {}", other.number, other.state.name());
    let error = ApiError::new(ErrorCode::Refused, message);
    Err(error.hinted(format!("`callbox resume {}` takes that up again first", other.number)).into())
}

/// Says `words` to the task's agent.
pub(super) fn tell(
    write: &mut Write<'_>,
    number: TaskNumber,
    words: &str,
    urgency: Urgency,
    occasion: &Occasion,
) -> Result<Applied, Failure> {
    let row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    let last = execution::last_of(write, number)?.filter(|run| row.state.execution() == Some(run.number));
    if urgency == Urgency::Now && last.is_some_and(|run| run.details.by_hand) {
        let message = format!("{number} was started by hand, and only there can its turn be ended");
        let error = ApiError::new(ErrorCode::Refused, message);
        return Err(error.hinted(format!("`callbox tell {number} TEXT` says it at the next chance")).into());
    }
    say(write, number, &Unsaid::Words(checked(words)?), words, occasion)?;
    apply(write, number, &TaskEvent::Told { urgency }, occasion)
}

/// Sends the task's work back to its agent, with `comment`.
pub(super) fn reject(
    write: &mut Write<'_>,
    number: TaskNumber,
    comment: &str,
    occasion: &Occasion,
) -> Result<Applied, Failure> {
    let applied = apply(write, number, &TaskEvent::Reject, occasion)?;
    try_at_once(write, number, occasion)?;
    say(write, number, &Unsaid::Rejection(checked(comment)?), comment, occasion)?;
    Ok(applied)
}

/// A person who takes a task up wants to see whether its agent is of use again; of one for any agent, whether any is.
pub(super) fn try_at_once(
    write: &mut Write<'_>,
    number: TaskNumber,
    occasion: &Occasion,
) -> Result<(), Failure> {
    let row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    for agent in who_may(write, &row)? {
        health::tried_at_once(write, &agent, occasion.now)?;
    }
    Ok(())
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
    message::insert(write, number, message::Origin::Person(occasion.actor.as_deref()), unsaid, occasion.now)?;
    News::of_task(number, "message").tell(write, words, occasion)
}
