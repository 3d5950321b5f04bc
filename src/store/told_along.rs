//! What a tool's result says besides: a person's messages that came while the agent worked.
//!
//! A result is no proof that they were heard. It may be lost on its way, and an agent program asks its model
//! with it only afterwards. What is handed out stays unsaid until the agent's output shows that its model went
//! on behind this very result. So nothing is handed out with a call that the output cannot name, as that of a
//! script of the agent's. Nobody reads the output of a command that a person started by hand: there the next
//! call has to do.

use super::{failure::Failure, transition::Occasion};
use crate::{
    database::{
        Write,
        rows::{execution::ExecutionRow, message, task},
    },
    domain::{Phase, TaskState, Unsaid, along},
    vocabulary::{ATTACHED, is_named},
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
    let is_attached = run.details.agent == ATTACHED;
    if !is_attached && !is_named(key) {
        return Ok(String::new());
    }
    // Nearly always there is nothing: then nothing else is looked at, since every call waits for this.
    let mut unsaid = message::unsaid(write, run.task)?;
    if is_attached && unsaid.iter().any(|waiting| waiting.handed_by == Some(run.number)) {
        message::take_handed(write, run.number, 0..=seq - 1, occasion.now)?;
        unsaid = message::unsaid(write, run.task)?;
    }
    if unsaid.is_empty() || !is_at_work(write, run)? {
        return Ok(String::new());
    }
    let mut words = Vec::new();
    let mut length = 0;
    for waiting in unsaid {
        let held = [waiting.carried_by, waiting.handed_by].contains(&Some(run.number));
        let Unsaid::Words(text) = waiting.unsaid else { continue };
        if held {
            continue;
        }
        length += text.chars().count();
        if length > MOST && !words.is_empty() {
            break;
        }
        message::hand(write, waiting.number, run.number, seq)?;
        words.push(text);
    }
    Ok(if words.is_empty() { String::new() } else { along(&words) })
}

/// Whether the task waits for nothing but the agent of `run`.
fn is_at_work(write: &Write<'_>, run: &ExecutionRow) -> Result<bool, Failure> {
    let row = task::get(write, run.task)?.ok_or_else(|| Failure::unknown(run.task))?;
    Ok(row.state == TaskState::Running { execution: run.number, phase: Phase::Agent })
}
