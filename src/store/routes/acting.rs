//! Acting on tasks: submit, cancel, start, tell, resume, accept, reject, retry. Every act records who gave it.

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::{Path, State},
};

use crate::{
    database::{Write, rows::task},
    domain::{Phase, Start, TaskEvent, TaskState, Urgency},
    ids::{Secret, TaskNumber, Timestamp},
    protocol::{
        error::{ApiError, ErrorCode},
        operator::{
            ActReply, ActRequest, ProjectRequest, ResumeRequest, RetryIn, RetryRequest, SubmitReply,
            SubmitRequest, TellRequest, TellWhen,
        },
    },
    store::{
        act,
        engine::Engine,
        failure::Failure,
        fault_point::Point,
        mover::Mover,
        operator::Operator,
        provision::provide,
        relocate as relocating,
        settings::Residency,
        submit as submitting, sweep,
        transition::{Applied, Occasion, apply, named},
    },
};

/// What comes of a task that only a person brings further.
const BY_HAND: &str = "the task waits for its command to be started again by hand";

/// An act that the peer gives now.
pub(super) fn occasion(operator: &Operator) -> Occasion {
    Occasion { now: Timestamp::now(), actor: Some(operator.0.to_string()) }
}

pub(super) async fn submit(
    State(engine): State<Engine>,
    operator: Operator,
    Json(request): Json<SubmitRequest>,
) -> Result<Json<SubmitReply>, ApiError> {
    let (occasion, values) = (occasion(&operator), engine.clone());
    let SubmitRequest { tasks, hold, environment } = request;
    let numbers = engine
        .write(move |write| {
            let numbers = submitting::submit(write, tasks, hold, &occasion)?;
            for number in &numbers {
                provide(write, *number, environment.clone(), values.environments())?;
            }
            Ok(numbers)
        })
        .await?;
    engine.faults().pass(Point::SubmitRecorded);
    let resident = engine.residency() == Residency::Resident;
    Ok(Json(SubmitReply { tasks: numbers, resident }))
}

/// A second cancel of a run that is being ended takes its grace away.
pub(super) async fn cancel(
    State(engine): State<Engine>,
    operator: Operator,
    Path(number): Path<TaskNumber>,
    Json(_): Json<ActRequest>,
) -> Result<Json<ActReply>, ApiError> {
    let occasion = occasion(&operator);
    let applied = engine
        .write(move |write| {
            let applied = apply(write, number, &TaskEvent::Cancel, &occasion)?;
            let stopping = matches!(applied.state, TaskState::Running { phase: Phase::Stopping { .. }, .. });
            if stopping && applied.unchanged.is_some() {
                return apply(write, number, &TaskEvent::Kill, &occasion);
            }
            Ok(applied)
        })
        .await?;
    let message = match &applied.state {
        TaskState::Running { .. } => "the task's agent is being ended",
        _ => "the task is cancelled",
    };
    Ok(Json(reply(number, &applied, message)))
}

pub(super) async fn start(
    State(engine): State<Engine>,
    operator: Operator,
    Path(number): Path<TaskNumber>,
    Json(request): Json<ActRequest>,
) -> Result<Json<ActReply>, ApiError> {
    let occasion = occasion(&operator);
    let start = move |write: &mut Write<'_>| {
        act::try_at_once(write, number, &occasion)?;
        apply(write, number, &TaskEvent::Start, &occasion)
    };
    let applied = provided(&engine, number, request.environment, start).await?;
    let done = if is_by_hand(&engine, number).await? { BY_HAND } else { "the task is queued" };
    Ok(Json(reply(number, &applied, done)))
}

pub(super) async fn resume(
    State(engine): State<Engine>,
    operator: Operator,
    Path(number): Path<TaskNumber>,
    Json(request): Json<ResumeRequest>,
) -> Result<Json<ActReply>, ApiError> {
    let occasion = occasion(&operator);
    let ResumeRequest { message, budget, environment } = request;
    let resume =
        move |write: &mut Write<'_>| act::resume(write, number, message.as_deref(), budget, &occasion);
    let applied = provided(&engine, number, environment, resume).await?;
    Ok(Json(reply(number, &applied, way_on(&engine, number).await?)))
}

pub(super) async fn relocate(
    State(engine): State<Engine>,
    operator: Operator,
    Path(number): Path<TaskNumber>,
    Json(request): Json<ProjectRequest>,
) -> Result<Json<()>, ApiError> {
    let occasion = occasion(&operator);
    engine.write(move |write| relocating::relocate(write, number, &request.project, &occasion)).await?;
    Ok(Json(()))
}

pub(super) async fn accept(
    State(engine): State<Engine>,
    operator: Operator,
    Path(number): Path<TaskNumber>,
    Json(request): Json<ActRequest>,
) -> Result<Json<ActReply>, ApiError> {
    let occasion = occasion(&operator);
    let accept = move |write: &mut Write<'_>| apply(write, number, &TaskEvent::Accept, &occasion);
    let applied = provided(&engine, number, request.environment, accept).await?;
    let message = match &applied.state {
        TaskState::Running { .. } => "the work of the task is accepted and is being merged",
        _ => "the work is accepted and the task is completed",
    };
    Ok(Json(reply(number, &applied, message)))
}

pub(super) async fn reject(
    State(engine): State<Engine>,
    operator: Operator,
    Path(number): Path<TaskNumber>,
    Json(request): Json<ActRequest>,
) -> Result<Json<ActReply>, ApiError> {
    let occasion = occasion(&operator);
    let ActRequest { message, environment } = request;
    let reject = move |write: &mut Write<'_>| {
        act::reject(write, number, message.as_deref().unwrap_or_default(), &occasion)
    };
    let applied = provided(&engine, number, environment, reject).await?;
    let done = if is_by_hand(&engine, number).await? {
        BY_HAND
    } else {
        "the task is queued and goes on with the comment"
    };
    Ok(Json(reply(number, &applied, done)))
}

pub(super) async fn retry(
    State(engine): State<Engine>,
    operator: Operator,
    Path(number): Path<TaskNumber>,
    Json(request): Json<RetryRequest>,
) -> Result<Json<ActReply>, ApiError> {
    let occasion = occasion(&operator);
    let start = match request.conversation {
        RetryIn::SameConversation => Start::Continue,
        RetryIn::FreshConversation => Start::Fresh,
    };
    let retry = move |write: &mut Write<'_>| {
        act::refuse_behind_failed(write, number)?;
        act::try_at_once(write, number, &occasion)?;
        apply(write, number, &TaskEvent::Retry { start }, &occasion)
    };
    let applied = provided(&engine, number, request.environment, retry).await?;
    let done = match start {
        Start::Continue => way_on(&engine, number).await?,
        Start::Fresh if is_by_hand(&engine, number).await? => BY_HAND,
        Start::Fresh => "the task is queued and begins anew",
    };
    Ok(Json(reply(number, &applied, done)))
}

pub(super) async fn tell(
    State(engine): State<Engine>,
    operator: Operator,
    Path(number): Path<TaskNumber>,
    Json(request): Json<TellRequest>,
) -> Result<Json<ActReply>, ApiError> {
    let occasion = occasion(&operator);
    let TellRequest { message, when, environment } = request;
    let urgency = match when {
        TellWhen::NextChance => Urgency::NextChance,
        TellWhen::Now => Urgency::Now,
    };
    let tell = move |write: &mut Write<'_>| act::tell(write, number, &message, urgency, &occasion);
    let applied = match provided(&engine, number, environment, tell).await {
        Err(refusal) if refusal.code == ErrorCode::Refused && is_swept(&engine, number).await? => {
            let hint = refusal.hint.as_deref().unwrap_or("`callbox resume` goes on with it");
            let hint = format!("{hint}; its sandbox is gone, so that would be a new one, in a new sandbox");
            return Err(refusal.hinted(hint));
        }
        applied => applied?,
    };
    let done = match applied.state {
        TaskState::Running { .. } => {
            "the turn of the task is being ended; it goes on with the message at once"
        }
        _ if is_by_hand(&engine, number).await? => BY_HAND,
        _ => "the task is queued and goes on with the message",
    };
    Ok(Json(reply(number, &applied, done)))
}

/// Lets `act` happen to the task `number` with the values that came along, in one transaction.
async fn provided<F>(
    engine: &Engine,
    number: TaskNumber,
    environment: BTreeMap<String, Secret>,
    act: F,
) -> Result<Applied, ApiError>
where
    F: FnOnce(&mut Write<'_>) -> Result<Applied, Failure> + Send + 'static,
{
    let values = engine.clone();
    engine
        .write(move |write| {
            provide(write, number, environment, values.environments())?;
            act(write)
        })
        .await
}

/// How a task goes on that a person took up again.
async fn way_on(engine: &Engine, number: TaskNumber) -> Result<&'static str, ApiError> {
    Ok(if is_by_hand(engine, number).await? {
        BY_HAND
    } else if is_swept(engine, number).await? {
        "the task is queued; its sandbox is gone, so that it goes on in a new one and a new conversation"
    } else {
        "the task is queued and goes on in the same conversation"
    })
}

/// Whether only a person brings the task further, by starting its command.
async fn is_by_hand(engine: &Engine, number: TaskNumber) -> Result<bool, ApiError> {
    let row = engine.read(move |read| Ok(task::get(read, number)?)).await?;
    Ok(row.is_some_and(|row| Mover::of(&row, engine.residency()) == Mover::Person))
}

async fn is_swept(engine: &Engine, number: TaskNumber) -> Result<bool, ApiError> {
    engine.read(move |read| sweep::is_swept(read, number)).await
}

fn reply(task: TaskNumber, applied: &Applied, done: &str) -> ActReply {
    ActReply {
        task,
        state: applied.state.name().to_owned(),
        message: applied.unchanged.clone().unwrap_or_else(|| named(task, done)),
    }
}
