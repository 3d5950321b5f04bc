//! Has a person's own command told what happened.
//!
//! The store only decides what is told, once, and hands it to a process of its own (`callbox notify`), which
//! runs the command and outlives the store.

use std::{io, process::Stdio, sync::Arc, time::Duration};

use tokio::{
    io::AsyncWriteExt as _,
    process::{Child, Command},
    sync::Semaphore,
    task::JoinHandle,
    time::timeout,
};

use super::{
    engine::Engine,
    fault_point::Point,
    notices::{Looked, next},
    side_log::side_log,
};
use crate::{
    database::rows::notified,
    ids::Timestamp,
    process::Process,
    protocol::{
        error::ApiError,
        notice::{Notice, NoticeOrder},
    },
    vocabulary::NotifyCommand,
};

/// Commands at once.
const AT_ONCE: usize = 4;
/// How long a process that was just started may take to read what it is given.
const READING: Duration = Duration::from_secs(5);

/// How much longer than its limit a command may take to be ended by its own process.
const OVER: Duration = Duration::from_secs(15);

/// How far what is told has come.
pub(super) struct Notifying {
    places: Arc<Semaphore>,
    /// No event up to here is to be told, beside what the database knows.
    looked: i64,
    /// What counts as told and is still being handed over: waited for before anything else is done, also where
    /// whoever began it was dropped.
    starting: Option<JoinHandle<Result<(), ApiError>>>,
}

impl Notifying {
    /// Nothing is told yet.
    pub(super) fn new() -> Self {
        Self { places: Arc::new(Semaphore::new(AT_ONCE)), looked: 0, starting: None }
    }

    /// Waits until what counts as told has been handed over.
    async fn started(&mut self) -> Result<(), ApiError> {
        let told = match &mut self.starting {
            Some(starting) => starting.await.unwrap_or(Ok(())),
            None => Ok(()),
        };
        self.starting = None;
        told
    }
}

impl Engine {
    /// Remembers from which event on a command is to be told, where one is configured: before anything is recorded.
    pub(super) async fn begin_notifying(&self) -> Result<(), ApiError> {
        let told = self.read(|read| Ok(notified::get(read)?)).await?;
        match (self.notify_command(), told) {
            (Some(_), None) => self.write_unannounced(|write| Ok(notified::begin(write)?)).await,
            // What happens while nobody is to be told is history by the time that somebody is. What is still to be told
            // is not: a command that looks in for an instant may read another configuration.
            (None, Some(_)) => match self.read(|read| next(read, 0, Timestamp::now())).await? {
                Looked::UpTo(_) => self.write_unannounced(|write| Ok(notified::forget(write)?)).await,
                Looked::Found(..) => Ok(()),
            },
            (Some(_), Some(_)) | (None, None) => Ok(()),
        }
    }

    /// Has everything told that happens, until the store stops; what is due by then too, as far as that needs no
    /// waiting. The rest falls to the next store.
    pub(super) async fn notify(self, mut notifying: Notifying) -> Notifying {
        let mut changes = self.changes();
        loop {
            let told = tokio::select! {
                told = self.tell_what_is_due(&mut notifying) => told,
                () = self.stop().cancelled() => return notifying,
            };
            if let Err(error) = told {
                tracing::error!(%error, "what happened could not be told");
            }
            tokio::select! {
                more = changes.changed() => if more.is_err() { return notifying },
                () = self.stop().cancelled() => return notifying,
            }
        }
    }

    /// As far as places are free.
    pub(super) async fn tell_the_last(&self, mut notifying: Notifying) {
        if let Err(error) = notifying.started().await {
            tracing::error!(%error, "what happened could not be told");
        }
        while notifying.places.available_permits() > 0 {
            match self.tell_next(&mut notifying).await {
                Ok(Told::One) => {}
                Ok(Told::Nothing) => return,
                Err(error) => {
                    tracing::error!(%error, "what happened could not be told");
                    return;
                }
            }
        }
    }

    async fn tell_what_is_due(&self, notifying: &mut Notifying) -> Result<(), ApiError> {
        while self.tell_next(notifying).await? == Told::One {}
        Ok(())
    }

    /// The place is taken first and the event passed second: whoever drops this before has told nothing.
    async fn tell_next(&self, notifying: &mut Notifying) -> Result<Told, ApiError> {
        notifying.started().await?;
        let Some(command) = self.notify_command() else { return Ok(Told::Nothing) };
        let Ok(place) = Arc::clone(&notifying.places).acquire_owned().await else { return Ok(Told::Nothing) };
        let looked = notifying.looked;
        let (seq, notice) = match self.read(move |read| next(read, looked, Timestamp::now())).await? {
            Looked::UpTo(seq) => {
                notifying.looked = seq;
                return Ok(Told::Nothing);
            }
            Looked::Found(seq, notice) => (seq, notice),
        };
        // From here on it is told by this store or by none, so nothing may break this off.
        let engine = self.clone();
        notifying.looked = seq;
        notifying.starting = Some(tokio::spawn(async move {
            if !engine.write_unannounced(move |write| Ok(notified::advance(write, seq)?)).await? {
                return Ok(());
            }
            engine.faults().pass(Point::NoticePassed);
            let limit_seconds = command.limit_seconds;
            match start(&engine, command, *notice).await {
                Ok((mut child, helper)) => drop(tokio::spawn(async move {
                    // Its own limit ends it, unless it was stopped or something else keeps it from that.
                    let limit = Duration::from_secs(limit_seconds) + OVER;
                    if timeout(limit, child.wait()).await.is_err() {
                        tracing::warn!(
                            "a command that was told something did not end by itself and is killed"
                        );
                        let _ = child.kill().await;
                    }
                    if let Some(helper) = helper {
                        engine.runs().end_help(helper);
                    }
                    drop(place);
                })),
                Err(error) => {
                    tracing::warn!(%error, "a command that was to be told something was not started");
                }
            }
            Ok(())
        }));
        notifying.started().await?;
        Ok(Told::One)
    }
}

/// Whether there was anything to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    One,
    Nothing,
}

/// Starts the process that runs the command, from this program's own image: its path may be gone after an upgrade.
/// The command is the person's own, and may act as they do: that is known before it begins.
async fn start(
    engine: &Engine,
    command: NotifyCommand,
    notice: Notice,
) -> io::Result<(Child, Option<Process>)> {
    let log = side_log(&engine.state().notify_log())?;
    let order = serde_json::to_vec(&NoticeOrder { command, notice }).map_err(io::Error::other)?;
    let mut program = Command::new("/proc/self/exe");
    program.arg0("callbox").arg("notify").current_dir("/");
    program.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
    let mut child = engine.supervisors().family().spawn(&mut program)?;
    let helper = child.id().and_then(|pid| engine.runs().begin_help(pid));
    if let Some(mut input) = child.stdin.take() {
        let read = timeout(READING, input.write_all(&order)).await;
        if let Err(error) = read.map_err(|_| io::ErrorKind::TimedOut.into()).flatten() {
            if let Some(helper) = helper {
                engine.runs().end_help(helper);
            }
            return Err(error);
        }
    }
    Ok((child, helper))
}
