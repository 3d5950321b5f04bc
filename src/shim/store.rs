//! Saying things to the store, with patience while it restarts.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, sleep, timeout_at};

use super::{
    environment::{Environment, Unwired, Wiring},
    leaving::Leaving,
    words::NotRecorded,
};
use crate::{
    client::{AgentClient, ClientError, Transport},
    protocol::{
        agent::{Hello, SignalRequest},
        error::ErrorCode,
    },
};

/// For how long a hello is tried; the run is stopped long before when none arrives.
const HELLO_PATIENCE: Duration = Duration::from_secs(60);
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The store behind the socket named in the environment. Connected to when something is to be said.
pub(super) struct Store {
    wiring: Result<Wiring, Unwired>,
    patience: Duration,
    leaving: Leaving,
    client: Mutex<Option<AgentClient>>,
}

impl Store {
    /// The store that `environment` names.
    pub(super) fn new(environment: Environment, leaving: Leaving) -> Self {
        let Environment { wiring, patience } = environment;
        Self { wiring, patience, leaving, client: Mutex::new(None) }
    }

    /// Records a call and gives what the agent is told. Repeats it under the same `key` for as long
    /// as that may help.
    pub(super) async fn record(&self, signal: &SignalRequest, key: &str) -> Result<String, NotRecorded> {
        self.say(Saying::Signal(signal, key), self.patience).await
    }

    /// Announces the agent.
    pub(super) async fn hello(&self, hello: &Hello) -> Result<(), NotRecorded> {
        self.say(Saying::Hello(hello), HELLO_PATIENCE).await.map(drop)
    }

    async fn say(&self, saying: Saying<'_>, patience: Duration) -> Result<String, NotRecorded> {
        if let Err(unwired) = &self.wiring {
            return Err(NotRecorded::Unwired(*unwired));
        }
        let deadline = Instant::now() + patience;
        let mut pause = FIRST_PAUSE;
        loop {
            let error = match timeout_at(deadline, self.attempt(saying)).await {
                Ok(Ok(reply)) => return Ok(reply),
                Ok(Err(error)) if may_pass(&error) => error,
                Ok(Err(error)) => return Err(final_word(error)),
                Err(_) => return Err(NotRecorded::OutOfPatience { seconds: patience.as_secs() }),
            };
            if matches!(error, ClientError::Unreachable { .. }) {
                // The folder that an over-long path leads through may be another one by now.
                self.forget_client();
            }
            if Instant::now() + pause >= deadline {
                return Err(NotRecorded::OutOfPatience { seconds: patience.as_secs() });
            }
            tokio::select! {
                () = sleep(pause) => {}
                () = self.leaving.begun() => return Err(NotRecorded::Leaving),
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn attempt(&self, saying: Saying<'_>) -> Result<String, ClientError> {
        let client = self.client()?;
        match saying {
            Saying::Signal(signal, key) => client.signal(signal, key).await.map(|reply| reply.text),
            Saying::Hello(hello) => client.hello(hello).await.map(|()| String::new()),
        }
    }

    fn client(&self) -> Result<AgentClient, ClientError> {
        let mut kept = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        match (&*kept, &self.wiring) {
            (Some(client), _) => Ok(client.clone()),
            (None, Ok(wiring)) => {
                let client = AgentClient::new(Transport::new(&wiring.socket)?, wiring.token.clone());
                Ok(kept.insert(client).clone())
            }
            (None, Err(unwired)) => Err(ClientError::Unreachable { source: Box::new(*unwired) }),
        }
    }

    fn forget_client(&self) {
        *self.client.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// What is said. An enum and not a closure, since the futures of such are not known to be `Send`.
#[derive(Clone, Copy)]
enum Saying<'a> {
    Signal(&'a SignalRequest, &'a str),
    Hello(&'a Hello),
}

/// Whether the same call may go well a moment later: where no store answered, or the store is
/// stopping for another to come.
fn may_pass(error: &ClientError) -> bool {
    match error {
        ClientError::Unreachable { .. } | ClientError::Broken { .. } => true,
        ClientError::Refused(reason) => reason.code == ErrorCode::Stopping,
        ClientError::ForeignServer { .. } => false,
    }
}

fn final_word(error: ClientError) -> NotRecorded {
    match error {
        ClientError::Refused(reason) => NotRecorded::Refused(reason),
        other => NotRecorded::Store(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::error::ApiError;

    #[test]
    fn only_what_may_pass_is_tried_again() {
        let refused = |code| ClientError::Refused(ApiError::new(code, "m"));
        let away = ClientError::Unreachable { source: "gone".into() };
        let lost = ClientError::Broken { what: "lost".to_owned(), source: None };
        for error in [away, lost, refused(ErrorCode::Stopping)] {
            assert!(may_pass(&error), "{error:?}");
        }
        for code in [ErrorCode::Revoked, ErrorCode::Invalid, ErrorCode::Conflict, ErrorCode::Storage] {
            assert!(!may_pass(&refused(code)), "{code:?}");
        }
        assert!(!may_pass(&ClientError::ForeignServer { uid: 1 }));
    }
}
