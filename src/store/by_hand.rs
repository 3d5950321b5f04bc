//! Gives a person's own agent an execution of a task: of a new one, or of one that waits.

use std::path::Path;

use super::{
    failure::Failure,
    history::history,
    news::News,
    transition::{Occasion, apply},
};
use crate::{
    database::{
        Read, Write,
        rows::{
            execution::{self, ExecutionRow},
            message::{self, MessageRow},
            task::{self, TaskRow},
        },
    },
    domain::{Author, Exchange, REMINDER, Start, TaskEvent, TaskState, Unsaid, continued, fresh},
    ids::{ExecutionNumber, Secret, TaskNumber, TokenHash},
    protocol::error::{ApiError, ErrorCode},
    vocabulary::{ATTACHED, Deliver, Isolation, IsolationChoice, Message, TaskSpec},
};

/// Which task.
#[derive(Debug, Clone, Copy)]
pub(super) enum Which<'a> {
    /// One that is there.
    Known(TaskNumber),
    /// A new one of this name, for work in this directory.
    New(&'a str, &'a Path),
}

/// An execution that was begun.
pub(super) struct Begun {
    /// It.
    pub(super) run: ExecutionRow,
    /// What its agent's shim proves itself with.
    pub(super) token: Secret,
    /// What has not been said yet, for the person to read.
    pub(super) messages: Vec<String>,
    /// The same for the agent; absent where there is nothing to say.
    pub(super) opening: Option<Message>,
}

/// Begins an execution, which `event` makes of the task's turn.
pub(super) fn begin(
    write: &mut Write<'_>,
    which: Which<'_>,
    event: impl FnOnce(ExecutionNumber) -> TaskEvent,
    occasion: &Occasion,
) -> Result<Begun, Failure> {
    let number = match which {
        Which::Known(number) => queued(write, number, occasion)?,
        Which::New(name, directory) => new_task(write, name, directory, occasion)?,
    };
    let row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    refuse_what_a_sandbox_decides(&row)?;
    let mut details = execution::Details::new(&row.spec.agent, Start::Continue);
    details.by_hand = true;
    // The agent is the person's own, in surroundings of the person's.
    details.isolation = Some(Isolation::None);
    let execution = execution::insert(write, number, row.failures + 1, &details, occasion.now)?;
    let unsaid = message::unsaid(write, number)?;
    let messages = unsaid.iter().cloned().map(words).collect();
    let unsaid: Vec<Unsaid> = unsaid.into_iter().map(MessageRow::to_say).collect();
    let opening = opening(write, &row, &unsaid)?;
    apply(write, number, &event(execution), occasion)?;
    let mut run = execution::get(write, execution)?.ok_or_else(|| Failure::unknown(execution))?;
    let token = Secret::mint();
    run.token_hash = Some(*TokenHash::of(&token).as_bytes());
    Ok(Begun { run, token, messages, opening })
}

/// Has the task `number` wait for its turn, if it can: it was held back, or has ended, or waits already.
fn queued(write: &mut Write<'_>, number: TaskNumber, occasion: &Occasion) -> Result<TaskNumber, Failure> {
    let row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    let state = match row.state {
        TaskState::Queued { .. } => row.state,
        TaskState::Pending => apply(write, number, &TaskEvent::Start, occasion)?.state,
        _ => apply(write, number, &TaskEvent::Resume, occasion)?.state,
    };
    if matches!(state, TaskState::Queued { .. }) {
        return Ok(number);
    }
    let message = format!("task `{number}` is {}; only a task that waits can be attached to", state.name());
    Err(Failure::refused(ErrorCode::Refused, message))
}

fn refuse_what_a_sandbox_decides(row: &TaskRow) -> Result<(), Failure> {
    let demand = if row.spec.verify.is_some() {
        "a `verify` command, which decides about work"
    } else if row.spec.require_changes {
        "`require_changes`, which looks for them"
    } else {
        return Ok(());
    };
    let message = format!("task `{}` has {demand} in a sandbox only", row.number);
    Err(ApiError::new(ErrorCode::Refused, message)
        .hinted("an agent that you start by hand works in a directory of yours")
        .into())
}

fn new_task(
    write: &mut Write<'_>,
    name: &str,
    directory: &Path,
    occasion: &Occasion,
) -> Result<TaskNumber, Failure> {
    let mut spec = TaskSpec::new(ATTACHED, format!("an agent started by hand in {}", directory.display()));
    name.clone_into(&mut spec.name);
    (spec.deliver, spec.isolation) = (Deliver::None, IsolationChoice::None);
    let row = task::NewTaskRow {
        spec,
        parent: None,
        author: Author::Person,
        spawn_base: None,
        variables: Vec::new(),
        state: TaskState::queued(Start::Fresh),
        at: occasion.now,
    };
    let number = task::insert(write, &row)?;
    News::of_task(number, "state").tell(write, row.state.name(), occasion)?;
    Ok(number)
}

/// What the agent should hear first. Of a task that was begun by hand callbox knows no instructions.
fn opening(read: &Read<'_>, row: &TaskRow, unsaid: &[Unsaid]) -> Result<Option<Message>, Failure> {
    if row.spec.agent != ATTACHED {
        return Ok(Some(fresh(&history(read, row)?, unsaid)));
    }
    Ok((!unsaid.is_empty()).then(|| continued(unsaid)))
}

fn words(message: MessageRow) -> String {
    let asked = message.question;
    match message.to_say() {
        Unsaid::Answer(Exchange { question, answer, .. }) => {
            let number = asked.map_or_else(|| "a question".to_owned(), |number| number.to_string());
            format!("Answer to {number} ({question}): {answer}")
        }
        Unsaid::Report { task, name, state, summary, .. } => {
            format!("Subtask {task} ({name}) is {state}. {}", summary.unwrap_or_default())
        }
        Unsaid::Words(words) | Unsaid::WordsAgain(words) | Unsaid::Rejection(words) => words,
        Unsaid::Conflict(conflict) => conflict.fault().message,
        Unsaid::Verification { command, ended, tail } => format!("`{command}` {ended}: {tail}"),
        Unsaid::Reminder => REMINDER.to_owned(),
    }
}
