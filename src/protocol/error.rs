//! What the store answers when it does not do as asked.

use serde::{Deserialize, Serialize};

/// The closed list of reasons. Callers decide by the code, people read the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// No bearer secret, or none that the store knows. HTTP 401.
    Unauthorized,
    /// The execution this token spoke for has ended. HTTP 403.
    Revoked,
    /// The peer may not use this plane (an agent's process on the operator plane). HTTP 403.
    ForbiddenPeer,
    /// The request came from a browser or for another host. HTTP 403.
    ForbiddenOrigin,
    /// No such task, execution, question or route. HTTP 404.
    NotFound,
    /// A field is missing, ill-typed, too long or out of range; the message names it. HTTP 400.
    Invalid,
    /// A limit of the configuration is reached; the message names it. HTTP 409.
    CapReached,
    /// The state machine refuses, with its reason. HTTP 409.
    Refused,
    /// The same name or key was used before with other content. HTTP 409.
    Conflict,
    /// The body is larger than [`super::MAX_BODY_BYTES`]. HTTP 413.
    TooLarge,
    /// Client and store are of versions that cannot talk. HTTP 400.
    Version,
    /// The store is stopping; nothing was recorded. HTTP 503.
    Stopping,
    /// The database could not be written (disk full, read-only); nothing was recorded. HTTP 507.
    Storage,
    /// The store's machine has no open files, processes or memory left; nothing was recorded. HTTP 503.
    Exhausted,
    /// A fault of callbox. HTTP 500.
    Internal,
}

impl ErrorCode {
    /// The HTTP status this code travels under.
    pub fn status(self) -> u16 {
        match self {
            Self::Invalid | Self::Version => 400,
            Self::Unauthorized => 401,
            Self::Revoked | Self::ForbiddenPeer | Self::ForbiddenOrigin => 403,
            Self::NotFound => 404,
            Self::CapReached | Self::Refused | Self::Conflict => 409,
            Self::TooLarge => 413,
            Self::Internal => 500,
            Self::Stopping | Self::Exhausted => 503,
            Self::Storage => 507,
        }
    }
}

/// A refusal on the wire: a code from the closed list, a sentence, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    /// Why, for programs.
    pub code: ErrorCode,
    /// Why, for people: lowercase, no trailing period, what and which.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl ApiError {
    /// A refusal without a hint.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None }
    }

    /// The same refusal with what to do about it.
    pub fn hinted(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
