//! What the store's silence and its refusals mean to a supervisor.

use std::time::Duration;

use crate::{
    client::ClientError,
    protocol::error::{ApiError, ErrorCode},
};

/// The first pause before something is said again, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

/// The refusal that will not change when the same is said again; `None` where the store is away, is
/// leaving, or has trouble of its own.
pub(super) fn lasting(error: &ClientError) -> Option<&ApiError> {
    match error {
        ClientError::Refused(refusal) => match refusal.code {
            ErrorCode::Stopping | ErrorCode::Storage | ErrorCode::Exhausted | ErrorCode::Internal => None,
            ErrorCode::Unauthorized
            | ErrorCode::Revoked
            | ErrorCode::ForbiddenPeer
            | ErrorCode::ForbiddenOrigin
            | ErrorCode::NotFound
            | ErrorCode::Invalid
            | ErrorCode::CapReached
            | ErrorCode::Refused
            | ErrorCode::Conflict
            | ErrorCode::TooLarge
            | ErrorCode::Version => Some(refusal),
        },
        // Another user's socket at this place is as good as none: ours may come back.
        ClientError::Unreachable { .. } | ClientError::Broken { .. } | ClientError::ForeignServer { .. } => {
            None
        }
    }
}

/// Pauses that grow while the store stays away.
#[derive(Debug)]
pub(super) struct Pauses {
    next: Duration,
}

impl Pauses {
    /// The first is short: most often the store is only being replaced.
    pub(super) fn new() -> Self {
        Self { next: PAUSES.0 }
    }

    /// How long to wait now.
    pub(super) fn next(&mut self) -> Duration {
        let pause = self.next;
        self.next = (pause * 2).min(PAUSES.1);
        pause
    }
}
