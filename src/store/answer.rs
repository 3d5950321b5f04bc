//! Records a person's answer; the state machine decides what it moves.

use super::{
    failure::Failure,
    news::News,
    transition::{Applied, Occasion, apply},
};
use crate::{
    database::{
        Write,
        rows::{
            message,
            question::{self, QuestionRow, QuestionState},
        },
    },
    domain::{Exchange, TaskEvent, Unsaid},
    ids::QuestionNumber,
    protocol::{
        error::{ApiError, ErrorCode},
        operator::AnswerText,
    },
};

/// Characters of an answer.
const MAX_ANSWER: usize = 20_000;

/// Records `answer`. A question is answered once; the answer may be replaced until a run holds it.
pub(super) fn answer(
    write: &mut Write<'_>,
    number: QuestionNumber,
    answer: &AnswerText,
    occasion: &Occasion,
) -> Result<(QuestionRow, Applied), Failure> {
    let row = known(write, number)?;
    let text = text_of(&row, answer)?;
    match row.state {
        QuestionState::Withdrawn => {
            let error = ApiError::new(ErrorCode::Refused, format!("question `{number}` was withdrawn"));
            return Err(Failure::Refused(
                error.hinted(format!("`callbox show {}` says what became of its task", row.task)),
            ));
        }
        QuestionState::Answered => replaceable(write, number)?,
        QuestionState::Open => {}
    }
    question::answer(write, number, &text, occasion.now)?;
    let exchange = Exchange { ordinal: row.ordinal, question: row.asked.question.clone(), answer: text };
    let origin = message::Origin::Answer(number);
    message::insert(write, row.task, origin, &Unsaid::Answer(exchange), occasion.now)?;
    let told = match row.state {
        QuestionState::Answered => format!("{number} is answered anew"),
        _ => format!("{number} is answered"),
    };
    News::of_task(row.task, "answer").tell(write, &told, occasion)?;
    let applied = apply(write, row.task, &TaskEvent::Answered, occasion)?;
    Ok((row, applied))
}

/// The question, which there must be.
pub(super) fn known(write: &Write<'_>, number: QuestionNumber) -> Result<QuestionRow, Failure> {
    question::get(write, number)?.ok_or_else(|| {
        let error = ApiError::new(ErrorCode::NotFound, format!("there is no question `{number}`"));
        Failure::Refused(error.hinted("`callbox questions` lists those that are open"))
    })
}

fn replaceable(write: &Write<'_>, number: QuestionNumber) -> Result<(), Failure> {
    let waiting = message::of_question(write, number)?
        .is_some_and(|message| message.carried_by.is_none() && message.handed_by.is_none());
    if waiting {
        return Ok(());
    }
    let error = ApiError::new(
        ErrorCode::Refused,
        format!("question `{number}` is answered and the run with its answer has started"),
    );
    Err(Failure::Refused(error.hinted("`callbox resume` says more to the agent when it has ended")))
}

fn text_of(row: &QuestionRow, answer: &AnswerText) -> Result<String, Failure> {
    match answer {
        AnswerText::Text(text) if text.trim().is_empty() || text.chars().count() > MAX_ANSWER => {
            let message = format!("an answer must have 1 to {MAX_ANSWER} characters");
            Err(Failure::refused(ErrorCode::Invalid, message))
        }
        AnswerText::Text(text) => Ok(text.clone()),
        AnswerText::Option(place) => {
            let option = place.checked_sub(1).and_then(|place| row.asked.options.get(place));
            option.cloned().ok_or_else(|| no_option(row, *place))
        }
    }
}

fn no_option(row: &QuestionRow, place: usize) -> Failure {
    let number = row.number;
    let (message, hint) = match row.asked.options.len() {
        0 => (
            format!("question `{number}` has no options"),
            format!("give a text: `callbox answer {number} TEXT`"),
        ),
        count => (
            format!("question `{number}` has no option {place}"),
            format!("choose one from 1 to {count}; `callbox questions` lists them"),
        ),
    };
    Failure::Refused(ApiError::new(ErrorCode::Invalid, message).hinted(hint))
}
