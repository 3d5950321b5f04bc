//! The logs of an execution, as bytes: the store does not read what is in them.

use std::io::SeekFrom;

use axum::{
    extract::{Path, Query, State},
    http::{HeaderMap, HeaderValue},
};
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};

use crate::{
    database::rows::{execution, task},
    ids::ExecutionNumber,
    protocol::{
        LOG_END_HEADER,
        error::{ApiError, ErrorCode},
        query::{LogKind, LogQuery},
    },
    store::{engine::Engine, failure::Failure, operator::Operator},
};

/// Bytes of one answer; a reader asks again behind them.
const PIECE: u64 = 1 << 20;

pub(super) async fn log(
    State(engine): State<Engine>,
    _: Operator,
    Path(number): Path<ExecutionNumber>,
    Query(query): Query<LogQuery>,
) -> Result<(HeaderMap, Vec<u8>), ApiError> {
    let ended = engine
        .read(move |read| {
            let run = execution::get(read, number)?.ok_or_else(|| Failure::unknown(number))?;
            let row = task::get(read, run.task)?.ok_or_else(|| Failure::unknown(run.task))?;
            if row.is_swept(number) {
                let message = format!("the logs of `{number}` were removed by `callbox gc`");
                let hint = format!("`callbox show {}` tells how it ended", run.task);
                return Err(ApiError::new(ErrorCode::NotFound, message).hinted(hint).into());
            }
            Ok(run.state == execution::ExecutionState::Ended)
        })
        .await?;
    let path = match query.kind {
        LogKind::Transcript => engine.state().transcript(number),
        LogKind::Raw => engine.state().agent_log(number),
    };
    let bytes = piece(&path, query.offset).await.map_err(|error| {
        ApiError::new(ErrorCode::Internal, format!("the log of `{number}` could not be read: {error}"))
    })?;
    let mut headers = HeaderMap::new();
    // A full piece may have more behind it, whatever became of the execution.
    if ended && (bytes.len() as u64) < PIECE {
        headers.insert(LOG_END_HEADER, HeaderValue::from_static("yes"));
    }
    Ok((headers, bytes))
}

async fn piece(path: &std::path::Path, offset: u64) -> std::io::Result<Vec<u8>> {
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
