//! What a tool's result says besides: a person's messages that came while the agent worked.
//!
//! A result is no proof that they were heard. It may be lost on its way, and an agent program asks its model
//! with it only afterwards. What is handed out stays unsaid until the agent's output shows that its model went
//! on behind this very result. So nothing is handed out with a call that the output cannot name, as that of a
//! script of the agent's. Nobody reads the output of an agent that a person started by hand: there the next
//! call has to do, and the results hold all that is unsaid. Where no process of callbox's is with it at all, they
//! are the only way to it.

use super::{failure::Failure, transition::Occasion};
use crate::{
    database::{
        Write,
        rows::{execution::ExecutionRow, message, task},
    },
    domain::{Phase, TaskState, Unsaid, along},
    vocabulary::is_named,
};

/// Characters of messages in one result: programs cut longer ones. The first message goes whole.
const MOST: usize = 20_000;

/// The words for the end of the result of the call `seq` of `run`, recorded as handed out with it.
pub(super) fn told_along(
    write: &mut Write<'_>,
    run: &ExecutionRow,
    (key, seq): (&str, u32),
    occasion: &Occasion,
) -> Result<String, Failure> {
    let by_hand = run.details.by_hand;
    if !by_hand && !is_named(key) {
        return Ok(String::new());
    }
    // Nearly always there is nothing: then nothing else is looked at, since every call waits for this.
    let mut unsaid = message::unsaid(write, run.task)?;
    if by_hand && unsaid.iter().any(|waiting| waiting.handed_by == Some(run.number)) {
        message::take_handed(write, run.number, 0..=seq - 1, occasion.now)?;
        unsaid = message::unsaid(write, run.task)?;
    }
    if unsaid.is_empty() || !is_at_work(write, run)? {
        return Ok(String::new());
    }
    let mut told = Vec::new();
    let mut length = 0;
    for waiting in unsaid {
        let carried = waiting.carried_by == Some(run.number) && run.unbound_until.is_none();
        let held = carried || waiting.handed_by == Some(run.number);
        // Whoever is resumed hears the rest in the message that opens its next turn.
        if held || !(by_hand || matches!(waiting.unsaid, Unsaid::Words(_))) {
            continue;
        }
        let number = waiting.number;
        let words = along(std::slice::from_ref(&waiting.unsaid));
        length += words.chars().count();
        if length > MOST && !told.is_empty() {
            break;
        }
        message::hand(write, number, run.number, seq)?;
        told.push(waiting.unsaid);
    }
    Ok(if told.is_empty() { String::new() } else { along(&told) })
}

/// Whether the task waits for nothing but the agent of `run`.
fn is_at_work(write: &Write<'_>, run: &ExecutionRow) -> Result<bool, Failure> {
    let row = task::get(write, run.task)?.ok_or_else(|| Failure::unknown(run.task))?;
    let phase = if run.unbound_until.is_some() { Phase::Unbound } else { Phase::Agent };
    Ok(row.state == TaskState::Running { execution: run.number, phase })
}
