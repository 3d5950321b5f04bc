//! The logs of an execution, as bytes: the store does not read what is in them.

use std::io::SeekFrom;

use axum::{
    extract::{Path, Query, State},
    http::{HeaderMap, HeaderValue},
};
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};

use crate::{
    database::rows::{execution, signal, task},
    ids::ExecutionNumber,
    protocol::{
        LOG_END_HEADER,
        error::{ApiError, ErrorCode},
        query::{LogKind, LogQuery},
    },
    store::{by_hand_log, engine::Engine, failure::Failure, operator::Operator},
};

/// Bytes of one answer; a reader asks again behind them.
const PIECE: u64 = 1 << 20;

pub(super) async fn log(
    State(engine): State<Engine>,
    _: Operator,
    Path(number): Path<ExecutionNumber>,
    Query(query): Query<LogQuery>,
) -> Result<(HeaderMap, Vec<u8>), ApiError> {
    let (ended, by_hand) = engine
        .read(move |read| {
            let run = execution::get(read, number)?.ok_or_else(|| Failure::unknown(number))?;
            let row = task::get(read, run.task)?.ok_or_else(|| Failure::unknown(run.task))?;
            if row.is_swept(number) {
                let message = format!("the logs of `{number}` were removed by `callbox gc`");
                let hint = format!("`callbox show {}` tells how it ended", run.task);
                return Err(ApiError::new(ErrorCode::NotFound, message).hinted(hint).into());
            }
            let calls = if run.details.by_hand { Some(signal::of_execution(read, number)?) } else { None };
            Ok((run.state == execution::ExecutionState::Ended, calls))
        })
        .await?;
    let bytes = match (by_hand, query.kind) {
        (Some(calls), LogKind::Transcript) => {
            behind(by_hand_log::transcript(number, &calls).into_bytes(), query.offset)
        }
        (Some(_), LogKind::Raw) => return Err(not_recorded(number)),
        (None, LogKind::Transcript) => {
            piece(number, &engine.state().transcript(number), query.offset).await?
        }
        (None, LogKind::Raw) => piece(number, &engine.state().agent_log(number), query.offset).await?,
    };
    let mut headers = HeaderMap::new();
    // A full piece may have more behind it, whatever became of the execution.
    if ended && (bytes.len() as u64) < PIECE {
        headers.insert(LOG_END_HEADER, HeaderValue::from_static("yes"));
    }
    Ok((headers, bytes))
}

/// What a command prints that a person started is the person's.
fn not_recorded(number: ExecutionNumber) -> ApiError {
    let message = format!("`{number}` was started by hand, and nobody recorded what its command printed");
    ApiError::new(ErrorCode::NotFound, message)
        .hinted(format!("`callbox logs {number}` without `--raw` shows its calls"))
}

/// One piece of `bytes`.
fn behind(mut bytes: Vec<u8>, offset: u64) -> Vec<u8> {
    let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
    bytes.drain(..start);
    bytes.truncate(usize::try_from(PIECE).unwrap_or(usize::MAX));
    bytes
}

async fn piece(number: ExecutionNumber, path: &std::path::Path, offset: u64) -> Result<Vec<u8>, ApiError> {
    read(path, offset).await.map_err(|error| {
        ApiError::new(ErrorCode::Internal, format!("the log of `{number}` could not be read: {error}"))
    })
}

async fn read(path: &std::path::Path, offset: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut file = match tokio::fs::File::open(path).await {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(bytes),
        Err(error) => return Err(error),
    };
    file.seek(SeekFrom::Start(offset)).await?;
    file.take(PIECE).read_to_end(&mut bytes).await?;
    Ok(bytes)
}
