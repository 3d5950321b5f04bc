//! Why the engine did not do as asked.

use std::fmt::Display;

use crate::{
    database::{ReadError, StorageError, StorageKind, WriteError},
    ids::{ExecutionNumber, TaskNumber},
    protocol::error::{ApiError, ErrorCode},
};

/// Ends a transaction and undoes what it had done.
#[derive(Debug)]
pub(super) enum Failure {
    /// The request is refused.
    Refused(ApiError),
    /// The database failed.
    Storage(StorageError),
}

impl Failure {
    /// A refusal with `code`.
    pub(super) fn refused(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Refused(ApiError::new(code, message))
    }

    /// There is no such thing.
    pub(super) fn unknown<T: Numbered>(what: T) -> Self {
        Self::Refused(
            ApiError::new(ErrorCode::NotFound, format!("there is no `{what}` in this state directory"))
                .hinted(T::FOUND_BY),
        )
    }
}

/// What a person names by its number.
pub(super) trait Numbered: Copy + Display {
    /// How those that there are can be found.
    const FOUND_BY: &'static str;
}

impl Numbered for TaskNumber {
    const FOUND_BY: &'static str = "`callbox ls` lists the tasks";
}

impl Numbered for ExecutionNumber {
    const FOUND_BY: &'static str = "`callbox ls` lists the tasks, and `callbox show ID` the executions of one; `callbox logs ID` takes its last";
}

impl From<StorageError> for Failure {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Refused(error)
    }
}

impl From<Failure> for ApiError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(error) => error,
            Failure::Storage(error) => storage(&error),
        }
    }
}

impl From<WriteError<Failure>> for ApiError {
    fn from(error: WriteError<Failure>) -> Self {
        match error {
            WriteError::Refused(failure) => failure.into(),
            WriteError::Storage(error) => storage(&error),
            WriteError::Fenced | WriteError::Stopped => {
                ApiError::new(ErrorCode::Stopping, "this store is stopping; nothing was recorded")
                    .hinted("try again: another store takes over")
            }
            WriteError::Panicked => fault(),
        }
    }
}

impl From<ReadError<Failure>> for ApiError {
    fn from(error: ReadError<Failure>) -> Self {
        match error {
            ReadError::Refused(failure) => failure.into(),
            ReadError::Storage(error) => storage(&error),
            ReadError::Panicked => fault(),
        }
    }
}

fn fault() -> ApiError {
    ApiError::new(ErrorCode::Internal, "a fault of callbox stopped the request; nothing was recorded")
}

/// Where the database turns out to be damaged: the next store refuses it and names the commands.
const DAMAGED: &str = "this store ends; the next command says how a copy is put in its place";

fn storage(error: &StorageError) -> ApiError {
    tracing::error!(error = error as &dyn std::error::Error, "the database failed");
    let code = match error.kind() {
        StorageKind::Fault | StorageKind::Constraint => ErrorCode::Internal,
        StorageKind::Exhausted => ErrorCode::Exhausted,
        _ => ErrorCode::Storage,
    };
    let hint = if error.kind() == StorageKind::Damaged { Some(DAMAGED) } else { error.hint() };
    let hint = hint.unwrap_or("what was acknowledged before is safe; repair the disk, then try again");
    ApiError::new(code, format!("nothing was recorded: {error}")).hinted(hint)
}
