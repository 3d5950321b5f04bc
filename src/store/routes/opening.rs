//! A task for an agent that a person configures by hand, with no process of callbox's beside it.

use axum::{
    Json,
    extract::{Path, State},
};

use super::acting::occasion;
use crate::{
    database::rows::task,
    domain::why,
    ids::TaskNumber,
    protocol::{
        error::ApiError,
        operator::{ActReply, OpenReply, OpenRequest},
    },
    store::{
        engine::Engine,
        execution_folder::{begin_folder, no_folder},
        failure::Failure,
        operator::Operator,
        outlook::Outlook,
        report::circumstances,
        settings::Residency,
        unbound,
    },
    vocabulary::ClosedBy,
};

pub(super) async fn open(
    State(engine): State<Engine>,
    operator: Operator,
    Json(request): Json<OpenRequest>,
) -> Result<Json<OpenReply>, ApiError> {
    if engine.residency() != Residency::Resident {
        return Err(unbound::needs_a_resident_store());
    }
    let occasion = occasion(&operator);
    let state = engine.state().clone();
    // Within: an execution that is opened without a folder would stand open with a token that nobody was given.
    let opened = engine.write(move |write| {
        let reply = unbound::open(write, &request, &occasion)?;
        begin_folder(&state, reply.execution).map_err(|error| Failure::from(no_folder(&error)))?;
        Ok(reply)
    });
    Ok(Json(opened.await?))
}

pub(super) async fn end(
    State(engine): State<Engine>,
    operator: Operator,
    Path(number): Path<TaskNumber>,
) -> Result<Json<ActReply>, ApiError> {
    let occasion = occasion(&operator);
    let (scope, planning) = (engine.scope().clone(), engine.planning());
    let reply = engine.write(move |write| {
        let applied = unbound::close(write, number, ClosedBy::Person, &occasion)?;
        let row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
        let outlook = Outlook::now(write, &scope, &planning.quotas)?;
        let message = why(&circumstances(write, &row, &outlook)?);
        Ok(ActReply { task: number, state: applied.state.name().to_owned(), message })
    });
    Ok(Json(reply.await?))
}
