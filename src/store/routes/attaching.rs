//! A task for a command that a person starts by hand.

use axum::{Json, extract::State};

use super::acting::occasion;
use crate::{
    database::{
        Read, Write,
        rows::{
            execution,
            message::{self, MessageRow},
            task::{self, TaskRow},
        },
    },
    domain::{Author, Exchange, REMINDER, Start, TaskEvent, TaskState, Unsaid, continued, fresh},
    ids::{Secret, TokenHash},
    protocol::{
        error::{ApiError, ErrorCode},
        operator::{AttachReply, AttachRequest},
    },
    store::{
        engine::Engine,
        execution_folder::begin_folder,
        failure::Failure,
        history::history,
        news::News,
        operator::Operator,
        transition::{Occasion, apply},
    },
    vocabulary::{ATTACHED, Deliver, Isolation, IsolationChoice, Message, TaskSpec},
};

pub(super) async fn attach(
    State(engine): State<Engine>,
    operator: Operator,
    Json(request): Json<AttachRequest>,
) -> Result<Json<AttachReply>, ApiError> {
    let occasion = occasion(&operator);
    let supervisor = operator.0.process();
    let reply = engine.write(move |write| begin(write, &request, &occasion)).await?;
    // Before anything can fail: a run that is claimed and watched by nobody would go on for ever.
    if let Some(supervisor) = supervisor {
        engine.runs().begin(reply.execution, supervisor.pid.get());
        engine.supervisors().expect(&engine, reply.execution, supervisor);
    }
    begin_folder(engine.state(), reply.execution)
        .map_err(|error| ApiError::new(ErrorCode::Storage, format!("no folder could be made: {error}")))?;
    Ok(Json(reply))
}

/// The caller is the supervisor: it holds the execution's lock, reports the end, and is found dead by
/// the same lock.
fn begin(
    write: &mut Write<'_>,
    request: &AttachRequest,
    occasion: &Occasion,
) -> Result<AttachReply, Failure> {
    let number = match request.task {
        Some(number) => number,
        None => new_task(write, request, occasion)?,
    };
    let mut row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    if row.state == TaskState::Pending {
        apply(write, number, &TaskEvent::Start, occasion)?;
        row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    }
    if row.state.is_end() || request.task.is_some() && !matches!(row.state, TaskState::Queued { .. }) {
        apply(write, number, &TaskEvent::Resume, occasion)?;
        row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    }
    if !matches!(row.state, TaskState::Queued { .. }) {
        let message =
            format!("task `{number}` is {}; only a task that waits can be attached to", row.state.name());
        return Err(Failure::refused(ErrorCode::Refused, message));
    }
    if row.spec.verify.is_some() {
        let message =
            format!("task `{number}` has a `verify` command, which decides about work in a sandbox only");
        return Err(Failure::refused(ErrorCode::Refused, message));
    }
    let mut details = execution::Details::new(&row.spec.agent, Start::Continue);
    // The command is the person's own, in a terminal of the person's.
    details.isolation = Some(Isolation::None);
    let execution = execution::insert(write, number, row.failures + 1, &details, occasion.now)?;
    let unsaid = message::unsaid(write, number)?;
    let messages = unsaid.iter().cloned().map(words).collect();
    let unsaid: Vec<Unsaid> = unsaid.into_iter().map(MessageRow::to_say).collect();
    let opening = opening(write, &row, &unsaid)?;
    apply(write, number, &TaskEvent::Claim { execution }, occasion)?;
    let (token, supervisor_secret) = (Secret::mint(), Secret::mint());
    let mut run = execution::get(write, execution)?.ok_or_else(|| Failure::unknown(execution))?;
    run.token_hash = Some(*TokenHash::of(&token).as_bytes());
    run.supervisor_hash = Some(*TokenHash::of(&supervisor_secret).as_bytes());
    execution::save(write, &run)?;
    execution::supervisor_given(write, execution)?;
    Ok(AttachReply { execution, task: number, token, supervisor_secret, messages, opening })
}

fn new_task(
    write: &mut Write<'_>,
    request: &AttachRequest,
    occasion: &Occasion,
) -> Result<crate::ids::TaskNumber, Failure> {
    let mut spec =
        TaskSpec::new(ATTACHED, format!("a command run by hand in {}", request.directory.display()));
    spec.name.clone_from(&request.name);
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

/// What the agent of a command should hear first. Of a task that was begun by hand callbox knows no instructions.
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
