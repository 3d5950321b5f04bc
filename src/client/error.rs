//! How a request can end badly, told apart by what the caller may do about it.

use std::{error::Error, io};

use crate::protocol::error::ApiError;

/// Why a request brought no result.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody serves the socket, or whoever did went without reading the request: any may be repeated.
    #[error("no store answers at its socket")]
    Unreachable {
        /// The system's word.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The store refused, with its reason. Nothing was recorded.
    #[error("{0}")]
    Refused(ApiError),
    /// The request was sent and its fate is unknown: the connection was lost, the time was over, or
    /// the answer made no sense. Only a request with an idempotency key or a number may be repeated.
    #[error("{what}")]
    Broken {
        /// What went wrong, as a sentence.
        what: String,
        /// The system's or the parser's word, where there is one.
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    /// The socket is served by another user. Nothing was sent.
    #[error("the socket is served by user {uid} and not by the user of this process")]
    ForeignServer {
        /// Whose process serves it.
        uid: u32,
    },
}

impl ClientError {
    pub(super) fn unreachable(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Unreachable { source: source.into() }
    }

    pub(super) fn broken(what: impl Into<String>) -> Self {
        Self::Broken { what: what.into(), source: None }
    }

    pub(super) fn broken_by(
        what: impl Into<String>,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self::Broken { what: what.into(), source: Some(source.into()) }
    }

    /// Sorts an error of the HTTP client. Its own text names the address and helps nobody.
    pub(super) fn from_http(error: reqwest::Error) -> Self {
        let error = error.without_url();
        if error.is_connect() || (error.is_request() && is_cut_off(&error)) {
            Self::unreachable(error)
        } else if error.is_timeout() {
            Self::broken_by("the store did not answer in time", error)
        } else {
            Self::broken_by("the connection to the store was lost before its answer was complete", error)
        }
    }
}

/// Whether the other side closed the connection without having read the whole request: nothing was done then. So the
/// kernel says it of a Unix socket, also where the connection was never accepted, as by a store that was just closing;
/// of one that was read and not answered it says that it has ended.
fn is_cut_off(error: &reqwest::Error) -> bool {
    let mut cause = error.source();
    while let Some(error) = cause {
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        if matches!(kind, Some(io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe)) {
            return true;
        }
        cause = error.source();
    }
    false
}
