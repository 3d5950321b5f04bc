//! What tasks left on the disk, and giving it up.

use axum::{
    Json,
    extract::{Path, State},
};

use super::acting::occasion;
use crate::{
    ids::TaskNumber,
    protocol::{
        error::ApiError,
        remains::{RemainsReply, SweepReply, SweepRequest},
    },
    store::{engine::Engine, operator::Operator, remains, sweep},
};

pub(super) async fn remains(
    State(engine): State<Engine>,
    _: Operator,
) -> Result<Json<RemainsReply>, ApiError> {
    let state = engine.state().clone();
    engine.read(move |read| remains::remains(read, &state).map(Json)).await
}

pub(super) async fn sweep(
    State(engine): State<Engine>,
    operator: Operator,
    Path(number): Path<TaskNumber>,
    Json(request): Json<SweepRequest>,
) -> Result<Json<SweepReply>, ApiError> {
    let occasion = occasion(&operator);
    engine.write(move |write| sweep::sweep(write, number, request, &occasion)).await?;
    Ok(Json(SweepReply { task: number }))
}
