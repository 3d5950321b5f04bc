//! What is known of a task, for an agent that has to be told.

use super::failure::Failure;
use crate::{
    database::{
        Read,
        rows::{execution, message, question, signal, task},
    },
    domain::{Exchange, History},
    vocabulary::Call,
};

/// Progress lines that are told again.
const LINES: usize = 10;

/// Everything that a new agent in the place of `row`'s must know.
pub(super) fn history(read: &Read<'_>, row: &task::TaskRow) -> Result<History, Failure> {
    let exchanges = question::of_task(read, row.number)?.into_iter().filter_map(|question| {
        Some(Exchange {
            ordinal: question.ordinal,
            question: question.asked.question,
            answer: question.answer?,
        })
    });
    let mut progress: Vec<String> = signal::of_task(read, row.number)?
        .into_iter()
        .filter_map(|signal| match signal.call {
            Call::RecordProgress(progress) => Some(progress.message),
            _ => None,
        })
        .collect();
    progress.drain(..progress.len().saturating_sub(LINES));
    let runs = execution::of_task(read, row.number)?;
    Ok(History {
        task: row.number,
        name: row.spec.name.clone(),
        instructions: row.spec.instructions.clone(),
        author: row.author,
        exchanges: exchanges.collect(),
        words: taken_words(read, row)?,
        summary: runs.iter().rev().find_map(|run| run.details.summary.clone()),
        progress,
        branch: execution::last_branch(read, row.number)?,
    })
}

fn taken_words(read: &Read<'_>, row: &task::TaskRow) -> Result<Vec<String>, Failure> {
    let messages = message::of_person(read, row.number)?;
    let taken = messages.iter().filter(|message| message.taken_at.is_some());
    Ok(taken.filter_map(message::MessageRow::words).map(str::to_owned).collect())
}
