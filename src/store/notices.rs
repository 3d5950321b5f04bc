//! Which events a person's own command is told of, and what.

use std::time::Duration;

use super::{day_news::DAY_BUDGET, failure::Failure, going_on::GoingOn};
use crate::{
    database::{
        Read,
        rows::{
            event::{self, EventRow},
            execution, notified, question, task,
        },
    },
    ids::{QuestionNumber, Timestamp},
    protocol::notice::{NOTICE_SCHEMA, Notice, NoticeKind, NoticeQuestion, NoticeTask},
};

/// Events that are looked at in one go.
const BATCH: u32 = 200;

/// Behind this an event is history, of which nobody wants to be told.
const HISTORY: Duration = Duration::from_secs(86_400);

/// The next notice behind what was told and behind the place `looked`, with its own place.
pub(super) fn next(read: &Read<'_>, looked: i64, now: Timestamp) -> Result<Looked, Failure> {
    let Some(told) = notified::get(read)? else { return Ok(Looked::UpTo(looked)) };
    let mut place = told.max(looked);
    loop {
        let events = event::after(read, place, BATCH)?;
        let Some(last) = events.last() else { return Ok(Looked::UpTo(place)) };
        place = last.seq;
        for event in events.iter().filter(|event| now.since(event.at) < HISTORY) {
            if let Some(notice) = notice(read, event)? {
                return Ok(Looked::Found(event.seq, Box::new(notice)));
            }
        }
    }
}

/// What came of a look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Looked {
    /// The event at this place is to be told so.
    Found(i64, Box<Notice>),
    /// Nothing up to this place.
    UpTo(i64),
}

fn notice(read: &Read<'_>, event: &EventRow) -> Result<Option<Notice>, Failure> {
    let (name, reason) = event.text.split_once(": ").unwrap_or((&event.text, ""));
    let kind = match event.kind.as_str() {
        "question" => Some(NoticeKind::Question),
        "state" => NoticeKind::of_state(name),
        "agent" => Some(NoticeKind::Agent),
        DAY_BUDGET => Some(NoticeKind::DayBudget),
        _ => None,
    };
    let (Some(kind), Some(row)) = (kind, task::get(read, event.task)?) else { return Ok(None) };
    let asked = match kind {
        NoticeKind::Question => asked(read, name)?,
        _ => None,
    };
    let text = match (&asked, kind) {
        (Some(asked), _) => asked.question.clone(),
        (None, NoticeKind::Completed | NoticeKind::Ready) => {
            let runs = execution::of_task(read, event.task)?;
            let summary = runs.into_iter().rev().find_map(|run| run.details.summary);
            summary.unwrap_or_else(|| event.text.clone())
        }
        (None, NoticeKind::Agent | NoticeKind::DayBudget | NoticeKind::Question) => event.text.clone(),
        (None, _) if reason.is_empty() => event.text.clone(),
        (None, _) => reason.to_owned(),
    };
    // Of one for any agent it is said which one it came to.
    let ran_by = GoingOn::of(read, [&row])?.picked(row.number).map(str::to_owned);
    Ok(Some(Notice {
        schema: NOTICE_SCHEMA,
        kind,
        at: event.at,
        task: NoticeTask {
            number: row.number,
            state: row.state.name().to_owned(),
            name: row.spec.name,
            project: row.spec.project,
            agent: ran_by.unwrap_or(row.spec.agent),
        },
        execution: event.execution,
        text,
        question: asked,
    }))
}

/// The question that the event names first.
fn asked(read: &Read<'_>, name: &str) -> Result<Option<NoticeQuestion>, Failure> {
    let Ok(number) = name.parse::<QuestionNumber>() else { return Ok(None) };
    let row = question::get(read, number)?;
    Ok(row.map(|row| NoticeQuestion { number, question: row.asked.question, options: row.asked.options }))
}
