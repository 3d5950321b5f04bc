//! What an agent is told when its call was not recorded: which tool, why, and what to do.

use crate::{
    client::ClientError,
    protocol::error::{ApiError, ErrorCode},
    shim::environment::Unwired,
    vocabulary::ArgumentFault,
};

/// Why a call was not recorded. Its text goes to the agent and holds no path and no secret.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotRecorded {
    /// An argument is wrong.
    #[error("{0}; correct it and call again")]
    Arguments(ArgumentFault),
    /// The shim was started without what it needs.
    #[error("{0}; a person must add it to the server's `env`, so go on without this tool")]
    Unwired(Unwired),
    /// The store refused.
    #[error("{}", refusal(.0))]
    Refused(ApiError),
    /// No store answered in time.
    #[error("the store did not answer within {seconds} s; call again with the same arguments in a minute")]
    OutOfPatience {
        /// For how long it was tried.
        seconds: u64,
    },
    /// The store cannot be spoken to.
    #[error("{0}; a person must look into it, so go on without this tool")]
    Store(ClientError),
    /// Too many calls at once.
    #[error("too many calls are open at once; call again when one of them has answered")]
    Busy,
    /// A fault of the shim.
    #[error("the MCP server failed; call again")]
    Fault,
    /// The client is gone.
    #[error("the connection is being closed")]
    Leaving,
}

impl NotRecorded {
    /// The whole sentence for the tool offered as `tool`.
    pub(super) fn sentence(&self, tool: &str) -> String {
        format!("`{tool}` was not recorded: {self}.")
    }
}

fn refusal(error: &ApiError) -> String {
    let what = match (&error.hint, error.code) {
        (Some(hint), _) => hint.as_str(),
        (None, ErrorCode::Invalid | ErrorCode::TooLarge | ErrorCode::Conflict) => {
            "change the arguments and call again"
        }
        (None, ErrorCode::Revoked) => "this run is over; stop working",
        (None, ErrorCode::CapReached | ErrorCode::Refused) => "go on without it",
        (None, _) => "a person must look into it, so go on without this tool",
    };
    format!("{}; {}", error.message.trim_end_matches('.'), what.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_was_wrong_and_what_to_do() {
        let error =
            ApiError::new(ErrorCode::CapReached, "20 subtasks exist already").hinted("do it yourself");
        assert_eq!(
            NotRecorded::Refused(error).sentence("spawn_subtask"),
            "`spawn_subtask` was not recorded: 20 subtasks exist already; do it yourself."
        );
        let error = ApiError::new(ErrorCode::Revoked, "execution `x1` has ended");
        assert_eq!(
            NotRecorded::Refused(error).sentence("ask_user"),
            "`ask_user` was not recorded: execution `x1` has ended; this run is over; stop working."
        );
    }
}
