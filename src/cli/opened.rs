//! The store a command speaks to.

use std::time::Duration;

use super::{
    context::Context,
    error::{CliError, ErrorKind},
    hosting,
    mode::Mode,
};
use crate::{
    client::{ClientError, OperatorClient},
    host::{Connection, HostError, HostOptions, connect_or_open},
    protocol::error::ErrorCode,
};

/// A way to the store of the state directory, for as long as one command takes.
pub(crate) struct Opened {
    connection: Connection,
    options: HostOptions,
}

/// Where no store stays, the state is opened for an instant this often by a command that looks again and again.
pub(crate) const GLANCE: Duration = Duration::from_secs(2);
/// How often a request is made that a store did not take because it was just ending.
const TRIES: u32 = 10;

impl Opened {
    /// Connects to the store that holds the state directory, or opens one in this process.
    pub(crate) async fn open(context: &Context) -> Result<Self, CliError> {
        let options = hosting::options(context, context.mode.residency());
        let opened = Self { connection: connect_or_open(&options).await?, options };
        // Another one runs its tasks as its own configuration says.
        if context.mode == Mode::Hermetic && !opened.is_hosted() {
            return Err(CliError::unavailable(format!(
                "another callbox holds the state directory `{}`, and `--hermetic` needs it alone",
                context.state.root().display()
            ))
            .hinted("name a state directory of its own with `--state DIR`, or end the other one"));
        }
        Ok(opened)
    }

    /// Speaks to the store for the person, as long as this one stays.
    pub(crate) fn operator(&self) -> &OperatorClient {
        self.connection.operator()
    }

    /// Asks for something that changes nothing. The store of another command may end at any moment,
    /// so whatever was lost is asked of the next.
    pub(crate) async fn look<T>(
        &mut self,
        request: impl AsyncFn(&OperatorClient) -> Result<T, ClientError>,
    ) -> Result<T, CliError> {
        self.repeat(request, |error| is_ending(error) || matches!(error, ClientError::Broken { .. })).await
    }

    /// Asks for an act, of the next store where it is certain that this one recorded nothing.
    pub(crate) async fn act<T>(
        &mut self,
        request: impl AsyncFn(&OperatorClient) -> Result<T, ClientError>,
    ) -> Result<T, CliError> {
        self.repeat(request, is_ending).await
    }

    async fn repeat<T>(
        &mut self,
        request: impl AsyncFn(&OperatorClient) -> Result<T, ClientError>,
        may_repeat: impl Fn(&ClientError) -> bool,
    ) -> Result<T, CliError> {
        let mut tries = 1;
        loop {
            match request(self.operator()).await {
                Err(error) if tries < TRIES && may_repeat(&error) => tries += 1,
                reply => return Ok(reply?),
            }
            let next = connect_or_open(&self.options).await?;
            std::mem::replace(&mut self.connection, next).close().await;
        }
    }

    /// Waits so long, or longer where nobody else holds the store: meanwhile it is let go, since a command that only
    /// looks must be in nobody's way. The next look finds another.
    pub(crate) async fn pause(&mut self, pause: Duration) {
        let pause = if self.is_hosted() { GLANCE.max(pause) } else { pause };
        self.connection.let_go().await;
        tokio::time::sleep(pause).await;
    }

    /// Ends when the store of this process must stop by itself; why, in words that follow "because". Never where
    /// another process holds it.
    pub(crate) async fn displaced(&self) -> String {
        self.connection.displaced().await
    }

    /// Whether nobody held the store, so that this process does.
    pub(crate) fn is_hosted(&self) -> bool {
        self.connection.is_hosted()
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

    /// Lets the store go once nothing is left of the runs that have ended.
    pub(crate) async fn close_settled(self) {
        self.connection.settled().await;
        self.connection.close().await;
    }
}

/// Whether the store took nothing of the request, because it is ending or gone.
pub(crate) fn is_ending(error: &ClientError) -> bool {
    match error {
        ClientError::Unreachable { .. } => true,
        ClientError::Refused(refusal) => refusal.code == ErrorCode::Stopping,
        ClientError::Broken { .. } | ClientError::ForeignServer { .. } => false,
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
            HostError::Silent { .. } | HostError::Mute { .. } => Self::unavailable(error)
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
