//! Acting on tasks: submit, cancel, start, resume. Every act records who gave it.

use axum::{
    Json,
    extract::{Path, State},
};

use crate::{
    database::{Write, rows::task},
    domain::{Phase, TaskEvent, TaskState},
    ids::{Secret, TaskNumber, Timestamp},
    protocol::{
        error::ApiError,
        operator::{ActReply, ActRequest, SubmitReply, SubmitRequest},
    },
    store::{
        act,
        engine::Engine,
        failure::Failure,
        operator::Operator,
        settings::Residency,
        submit as submitting,
        transition::{Applied, Occasion, apply},
    },
};

/// An act that the peer gives now.
pub(super) fn occasion(operator: &Operator) -> Occasion {
    Occasion { now: Timestamp::now(), actor: Some(operator.0.to_string()) }
}

pub(super) async fn submit(
    State(engine): State<Engine>,
    operator: Operator,
    Json(request): Json<SubmitRequest>,
) -> Result<Json<SubmitReply>, ApiError> {
    let occasion = occasion(&operator);
    let variables: Vec<String> = request.environment.keys().cloned().collect();
    let (tasks, hold) = (request.tasks, request.hold);
    let numbers =
        engine.write(move |write| submitting::submit(write, tasks, hold, &variables, &occasion)).await?;
    for number in &numbers {
        engine.environments().remember(*number, request.environment.clone());
    }
    engine.call_attention();
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
        TaskState::Running { .. } => "the agent is being ended",
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
    remember(&engine, number, request.environment).await?;
    let applied = engine.write(move |write| apply(write, number, &TaskEvent::Start, &occasion)).await?;
    Ok(Json(reply(number, &applied, "the task is queued")))
}

pub(super) async fn resume(
    State(engine): State<Engine>,
    operator: Operator,
    Path(number): Path<TaskNumber>,
    Json(request): Json<ActRequest>,
) -> Result<Json<ActReply>, ApiError> {
    let occasion = occasion(&operator);
    let ActRequest { message, environment } = request;
    remember(&engine, number, environment).await?;
    let applied =
        engine.write(move |write| act::resume(write, number, message.as_deref(), &occasion)).await?;
    Ok(Json(reply(number, &applied, "the task is queued and goes on in the same conversation")))
}

/// Keeps what a client gave for the launches of `number`'s tree, names in the rows, values in memory.
pub(super) async fn remember(
    engine: &Engine,
    number: TaskNumber,
    environment: std::collections::BTreeMap<String, Secret>,
) -> Result<(), ApiError> {
    if environment.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = environment.keys().cloned().collect();
    let root = engine.write(move |write| add_variables(write, number, names)).await?;
    engine.environments().remember(root, environment);
    Ok(())
}

fn add_variables(
    write: &mut Write<'_>,
    number: TaskNumber,
    names: Vec<String>,
) -> Result<TaskNumber, Failure> {
    let mut row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    row.variables.extend(names);
    row.variables.sort_unstable();
    row.variables.dedup();
    task::save(write, &row)?;
    Ok(row.root)
}

fn reply(task: TaskNumber, applied: &Applied, done: &str) -> ActReply {
    ActReply {
        task,
        state: applied.state.name().to_owned(),
        message: applied.unchanged.unwrap_or(done).to_owned(),
    }
}
