//! A person's acts on a task.

use super::{
    failure::Failure,
    news::News,
    transition::{Applied, Occasion, apply},
};
use crate::{
    database::{
        Write,
        rows::{message, task},
    },
    domain::{TaskEvent, Unsaid},
    ids::TaskNumber,
    protocol::error::ErrorCode,
};

/// Characters of a person's words to an agent.
const MAX_WORDS: usize = 20_000;

/// Takes the task up again, with `words` for its agent where there are any.
pub(super) fn resume(
    write: &mut Write<'_>,
    number: TaskNumber,
    words: Option<&str>,
    occasion: &Occasion,
) -> Result<Applied, Failure> {
    let row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    let applied = apply(write, number, &TaskEvent::Resume, occasion)?;
    if let Some(words) = words {
        if words.trim().is_empty() || words.chars().count() > MAX_WORDS {
            let message = format!("a message must have 1 to {MAX_WORDS} characters");
            return Err(Failure::refused(ErrorCode::Invalid, message));
        }
        let unsaid = Unsaid::Words(words.to_owned());
        message::insert(write, row.number, message::Origin::Person, &unsaid, occasion.now)?;
        News::of_task(row.number, "message").tell(write, words, occasion)?;
    }
    Ok(applied)
}
