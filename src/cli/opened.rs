//! The store a command speaks to.

use super::{
    context::Context,
    error::{CliError, ErrorKind},
};
use crate::client::{ClientError, OperatorClient, Transport};

/// A way to the store of the state directory, for as long as one command takes.
pub struct Opened {
    operator: OperatorClient,
}

impl Opened {
    /// Connects to the store that holds the state directory.
    pub async fn open(context: &Context) -> Result<Self, CliError> {
        let operator = OperatorClient::new(Transport::new(&context.state.store_socket())?);
        operator.status().await?;
        Ok(Self { operator })
    }

    /// Speaks to the store for the person.
    pub fn operator(&self) -> &OperatorClient {
        &self.operator
    }

    /// Whether the store stays and runs everything by itself; one that cannot say so does not.
    pub async fn is_resident(&self) -> bool {
        self.operator.status().await.is_ok_and(|status| status.resident)
    }

    /// The store with what was asked of it, or the error once the store was let go.
    pub async fn or_close<T, E: Into<CliError>>(self, reply: Result<T, E>) -> Result<(Self, T), CliError> {
        match reply {
            Ok(reply) => Ok((self, reply)),
            Err(error) => {
                self.close().await;
                Err(error.into())
            }
        }
    }

    /// Lets the store go, if it was ours alone.
    #[expect(clippy::unused_async, reason = "a store of our own takes its time to end")]
    pub async fn close(self) {}
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
