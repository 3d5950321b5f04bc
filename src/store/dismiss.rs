//! Withdraws one question as a person wants; the state machine decides what that moves.

use super::{
    answer::known,
    failure::Failure,
    news::News,
    transition::{Applied, Occasion, apply},
};
use crate::{
    database::{
        Write,
        rows::{
            execution,
            question::{self, QuestionRow, QuestionState},
            task,
        },
    },
    domain::TaskEvent,
    ids::QuestionNumber,
    protocol::error::{ApiError, ErrorCode},
};

/// Dismisses `number`: nobody will answer it.
pub(super) fn dismiss(
    write: &mut Write<'_>,
    number: QuestionNumber,
    occasion: &Occasion,
) -> Result<(QuestionRow, Applied), Failure> {
    let row = known(write, number)?;
    match row.state {
        QuestionState::Answered => {
            let error = ApiError::new(ErrorCode::Refused, format!("question `{number}` is answered"));
            let hint = "`callbox answer` replaces the answer until the run with it starts";
            return Err(Failure::Refused(error.hinted(hint)));
        }
        QuestionState::Withdrawn => {
            let state = task::get(write, row.task)?.ok_or_else(|| Failure::unknown(row.task))?.state;
            return Ok((
                row,
                Applied { state, unchanged: Some("the question is already withdrawn".to_owned()) },
            ));
        }
        QuestionState::Open => {}
    }
    question::withdraw_one(write, number)?;
    News::of_task(row.task, "answer").tell(write, &format!("{number} is dismissed"), occasion)?;
    let last = execution::last_of(write, row.task)?.map(|run| run.details);
    let event = TaskEvent::Dismissed {
        reported: last.as_ref().and_then(|details| details.reported),
        ending: last.and_then(|details| details.ending).map(Box::new),
    };
    let applied = apply(write, row.task, &event, occasion)?;
    Ok((row, applied))
}
