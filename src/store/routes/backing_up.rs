//! A copy of the database for a person.

use std::io;

use axum::{Json, extract::State};

use crate::{
    database::{BackupError, ReadError},
    protocol::{
        error::{ApiError, ErrorCode},
        operator::{BackupReply, BackupRequest},
    },
    store::{engine::Engine, operator::Operator},
};

pub(super) async fn back_up(
    State(engine): State<Engine>,
    _: Operator,
    Json(request): Json<BackupRequest>,
) -> Result<Json<BackupReply>, ApiError> {
    let file = request.file;
    if !file.is_absolute() || file.file_name().is_none() {
        let message = format!("`file` must be the absolute path of a file, not `{}`", file.display());
        return Err(ApiError::new(ErrorCode::Invalid, message));
    }
    match engine.back_up(file.clone()).await {
        Ok(bytes) => Ok(Json(BackupReply { file, bytes })),
        Err(ReadError::Refused(BackupError::File(error))) if error.kind() == io::ErrorKind::AlreadyExists => {
            let message = format!("`{}` is there already and stays as it is", file.display());
            Err(ApiError::new(ErrorCode::Refused, message).hinted("name a file that is not there"))
        }
        Err(error) => {
            let reason = match &error {
                ReadError::Refused(error) => error.to_string(),
                error => error.to_string(),
            };
            let message = format!("`{}` could not be written: {reason}", file.display());
            Err(ApiError::new(ErrorCode::Refused, message).hinted("nothing of it is left"))
        }
    }
}
