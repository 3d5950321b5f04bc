//! A task for a command that a person starts by hand.

use axum::{Json, extract::State};

use super::acting::occasion;
use crate::{
    database::{Write, rows::execution},
    domain::TaskEvent,
    ids::{Secret, TokenHash},
    protocol::{
        error::ApiError,
        operator::{AttachReply, AttachRequest},
    },
    store::{
        by_hand::{self, Which},
        engine::Engine,
        execution_folder::{begin_folder, no_folder},
        failure::Failure,
        operator::Operator,
        transition::Occasion,
    },
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
    begin_folder(engine.state(), reply.execution).map_err(|error| no_folder(&error))?;
    Ok(Json(reply))
}

/// The caller is the supervisor: it holds the execution's lock, reports the end, and is found dead by
/// the same lock.
fn begin(
    write: &mut Write<'_>,
    request: &AttachRequest,
    occasion: &Occasion,
) -> Result<AttachReply, Failure> {
    let which = request.task.map_or(Which::New(&request.name, &request.directory), Which::Known);
    let begun = by_hand::begin(write, which, |execution| TaskEvent::Claim { execution }, occasion)?;
    let supervisor_secret = Secret::mint();
    let mut run = begun.run;
    run.supervisor_hash = Some(*TokenHash::of(&supervisor_secret).as_bytes());
    execution::save(write, &run)?;
    execution::supervisor_given(write, run.number)?;
    Ok(AttachReply {
        execution: run.number,
        task: run.task,
        token: begun.token,
        supervisor_secret,
        messages: begun.messages,
        opening: begun.opening,
    })
}
