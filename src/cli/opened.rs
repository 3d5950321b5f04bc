//! The store a command speaks to.

use super::{
    context::Context,
    error::{CliError, ErrorKind},
    hosting,
};
use crate::{
    client::{ClientError, OperatorClient},
    host::{Connection, HostError, Residency, connect_or_open},
};

/// A way to the store of the state directory, for as long as one command takes.
pub(crate) struct Opened {
    connection: Connection,
}

impl Opened {
    /// Connects to the store that holds the state directory, or opens one in this process.
    pub(crate) async fn open(context: &Context) -> Result<Self, CliError> {
        let options = hosting::options(context, Residency::Hosted);
        Ok(Self { connection: connect_or_open(&options).await? })
    }

    /// Speaks to the store for the person.
    pub(crate) fn operator(&self) -> &OperatorClient {
        self.connection.operator()
    }

    /// Whether the store stays and runs everything by itself; one that cannot say so does not.
    pub(crate) async fn is_resident(&self) -> bool {
        self.operator().status().await.is_ok_and(|status| status.resident)
    }

    /// The store with what was asked of it, or the error once the store was let go.
    pub(crate) async fn or_close<T, E: Into<CliError>>(
        self,
        reply: Result<T, E>,
    ) -> Result<(Self, T), CliError> {
        match reply {
            Ok(reply) => Ok((self, reply)),
            Err(error) => {
                self.close().await;
                Err(error.into())
            }
        }
    }

    /// Lets the store go, if it was ours alone. Supervisors whose agent is still at work go on
    /// without it.
    pub(crate) async fn close(self) {
        self.connection.close().await;
    }

    /// Lets the store go once none of its supervisors is at work.
    pub(crate) async fn close_idle(self) {
        self.connection.idle().await;
        self.connection.close().await;
    }
}

impl From<HostError> for CliError {
    fn from(error: HostError) -> Self {
        match error {
            HostError::Client(error) => error.into(),
            HostError::Store(ref store) => {
                let hint = store.hint();
                let error = Self::unavailable(error);
                match hint {
                    Some(hint) => error.hinted(hint),
                    None => error,
                }
            }
            HostError::Silent { .. } => Self::unavailable(error)
                .hinted("`callbox doctor` looks at the store; end the process that holds it if it hangs"),
        }
    }
}

impl From<ClientError> for CliError {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Refused(refusal) => refusal.into(),
            ClientError::Unreachable { .. } => Self::unavailable(error)
                .hinted("`callbox doctor` looks at the store; `callbox serve` starts one that stays"),
            ClientError::Broken { .. } => Self::unavailable(error).hinted(
                "what was asked may have been done all the same: `callbox ls` shows how things stand",
            ),
            ClientError::ForeignServer { .. } => Self::new(ErrorKind::Refused, error)
                .hinted("name a state directory of your own with `--state DIR` or in CALLBOX_STATE"),
        }
    }
}
