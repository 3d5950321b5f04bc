//! Tasks that leave for another state directory, and those that come from one.

use std::{fs::File, io::Read as _, path::PathBuf};

use axum::{Json, extract::State};

use super::acting::occasion;
use crate::{
    database::rows::tree::Rows,
    protocol::{
        error::{ApiError, ErrorCode},
        travel::{ArrivalReply, ArrivalRequest, ExportReply, ExportRequest, ImportReply, ImportRequest},
    },
    store::{arriving, departing, engine::Engine, fault_point::Point, operator::Operator},
};

/// Bytes of rows that are read.
const LONGEST: u64 = 64 << 20;

pub(super) async fn export(
    State(engine): State<Engine>,
    _: Operator,
    Json(request): Json<ExportRequest>,
) -> Result<Json<ExportReply>, ApiError> {
    let state = engine.state().clone();
    engine.read(move |read| departing::depart(read, &state, &request.tasks).map(Json)).await
}

pub(super) async fn check(
    State(engine): State<Engine>,
    _: Operator,
    Json(request): Json<ArrivalRequest>,
) -> Result<Json<ArrivalReply>, ApiError> {
    let rows = read(request.file).await?;
    let state = engine.state().clone();
    let tasks = engine.write(move |write| arriving::set_apart(write, &state, &rows)).await?;
    Ok(Json(ArrivalReply { tasks }))
}

pub(super) async fn import(
    State(engine): State<Engine>,
    operator: Operator,
    Json(request): Json<ImportRequest>,
) -> Result<Json<ImportReply>, ApiError> {
    let occasion = occasion(&operator);
    let ImportRequest { file, tasks } = request;
    let rows = read(file).await?;
    let tasks = engine.write(move |write| arriving::settle(write, rows, &tasks, &occasion)).await?;
    engine.faults().pass(Point::ImportRecorded);
    Ok(Json(ImportReply { tasks }))
}

/// The rows in `file`, checked.
async fn read(file: PathBuf) -> Result<Rows, ApiError> {
    let unread = |reason: &dyn std::fmt::Display| {
        ApiError::new(ErrorCode::Invalid, format!("the rows could not be read: {reason}"))
    };
    let work = move || -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(file)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = tokio::task::spawn_blocking(work).await.map_err(|error| unread(&error))?;
    let bytes = bytes.map_err(|error| unread(&error))?;
    if bytes.len() as u64 > LONGEST {
        return Err(unread(&"they are longer than 64 MiB"));
    }
    arriving::read_rows(&bytes)
}
