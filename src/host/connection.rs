//! `connect_or_open`: every command goes this way, and again whenever its store went away.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::{
    client::{ClientError, OperatorClient, Transport},
    layout::StateDir,
    store::{LockError, Store, StoreError, StoreSettings, Wait, prepare},
};

/// How long one store that holds the lock may take until it answers at its socket. Each that follows it is given as
/// long: many commands that begin together are stores one after another.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// Which state directory, and how a store opens it when nobody holds it.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// The state directory.
    pub state: PathBuf,
    /// The configuration of a store opened here.
    pub settings: StoreSettings,
}

/// Why there is no store to speak to.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// A store could not be opened here.
    #[error(transparent)]
    Store(StoreError),
    /// Another process holds the state directory and does not answer.
    #[error("{held}, and does not answer")]
    Silent {
        /// Who holds it.
        held: Box<LockError>,
        /// What came of the last try.
        source: ClientError,
    },
    /// The store that was opened here does not answer.
    #[error("the store opened on `{}` does not answer at its socket", state.display())]
    Mute {
        /// The state directory.
        state: PathBuf,
        /// What came of the last try.
        source: ClientError,
    },
    /// The socket belongs to somebody else, or whoever asks may not.
    #[error(transparent)]
    Client(ClientError),
}

/// What is refused is refused whether a store stands already or would have to be opened.
impl From<StoreError> for HostError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Inside(refusal) => Self::Client(ClientError::Refused(refusal)),
            error => Self::Store(error),
        }
    }
}

/// A way to the store, and the store itself where it was opened here.
pub struct Connection {
    operator: OperatorClient,
    hosted: Option<Store>,
}

/// The state directory at `path`, made or found fit for use: nothing may be put into it or read from it
/// before.
pub fn prepared(path: &Path) -> Result<StateDir, HostError> {
    Ok(prepare(path).map_err(StoreError::from)?)
}

/// Connects to the store that holds the state directory, or opens one in this process.
pub async fn connect_or_open(options: &HostOptions) -> Result<Connection, HostError> {
    let state = prepared(&options.state)?;
    let mut deadline = Instant::now() + PATIENCE;
    let mut last = None;
    loop {
        let connected = timeout_at(deadline, connect(&state)).await;
        // Whoever took the connection and said nothing is the one that holds the lock, where no other was seen.
        let first_hung = connected.is_err() && last.is_none();
        let unreachable = match connected {
            Ok(Ok(operator)) => return Ok(Connection { operator, hosted: None }),
            Ok(Err(error @ (ClientError::Unreachable { .. } | ClientError::Broken { .. }))) => error,
            Ok(Err(error)) => return Err(HostError::Client(error)),
            // A stopped process takes connections, and requests too.
            Err(_) => waited_in_vain(),
        };
        match Store::open(state.root(), options.settings.clone(), Wait::No).await {
            Ok(store) => {
                let operator = match timeout(PATIENCE, connect(&state)).await {
                    Ok(operator) => operator,
                    Err(_) => Err(waited_in_vain()),
                };
                let operator = match operator {
                    Ok(operator) => operator,
                    Err(source) => {
                        store.close().await;
                        return Err(HostError::Mute { state: state.root().to_owned(), source });
                    }
                };
                return Ok(Connection { operator, hosted: Some(store) });
            }
            // Another process is just opening or closing it.
            Err(StoreError::Lock(LockError::HeldBy { holder, .. }))
                if last.as_ref() != Some(&holder) && !first_hung =>
            {
                (last, deadline) = (Some(holder), Instant::now() + PATIENCE);
                sleep(PAUSE).await;
            }
            Err(StoreError::Lock(LockError::HeldBy { .. })) if Instant::now() < deadline => {
                sleep(PAUSE).await;
            }
            Err(StoreError::Lock(held @ LockError::HeldBy { .. })) => {
                return Err(HostError::Silent { held: Box::new(held), source: unreachable });
            }
            Err(error) => return Err(error.into()),
        }
    }
}

fn waited_in_vain() -> ClientError {
    ClientError::Broken { what: format!("it was waited for {} s", PATIENCE.as_secs()), source: None }
}

async fn connect(state: &StateDir) -> Result<OperatorClient, ClientError> {
    let operator = OperatorClient::new(Transport::new(&state.store_socket())?);
    operator.status().await?;
    Ok(operator)
}

impl Connection {
    /// Speaks to the store for the person.
    pub fn operator(&self) -> &OperatorClient {
        &self.operator
    }

    /// Whether the store stands in this process.
    pub fn is_hosted(&self) -> bool {
        self.hosted.is_some()
    }

    /// Ends when a store that was opened here must stop by itself; why, in words that follow "because".
    pub async fn displaced(&self) -> String {
        match &self.hosted {
            Some(store) => store.displaced().await,
            None => std::future::pending().await,
        }
    }

    /// Lets go a store that was opened here, if any; what is asked from then on reaches none.
    pub async fn let_go(&mut self) {
        if let Some(store) = self.hosted.take() {
            store.close().await;
        }
    }

    /// Waits until the supervisors of ended executions are gone, where the store was opened here.
    pub async fn settled(&self) {
        if let Some(store) = &self.hosted {
            store.settled().await;
        }
    }

    /// Lets the store go: one opened here stops gracefully.
    pub async fn close(self) {
        let Self { operator, hosted } = self;
        drop(operator);
        if let Some(store) = hosted {
            store.close().await;
        }
    }
}
