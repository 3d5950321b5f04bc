//! Opens a state directory: lock, database, reconciliation, sockets, in this order.

use std::{collections::HashSet, path::Path, sync::Arc, thread};

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{
    engine::Engine,
    footing::Footing,
    health,
    inside::refuse_from_inside,
    lock::{LockError, Locked},
    notifying::Notifying,
    recovery, routes,
    runs::Runs,
    serve::{Plane, serve},
    settings::{Residency, StoreSettings},
    sockets::{BindError, Sockets},
    state_dir::{StateDirError, prepare},
    used_numbers::Used,
    way_back::{loss, way_back},
};
use crate::{
    database::{Database, OpenError, rows::execution},
    ids::{ExecutionNumber, Timestamp},
    layout::StateDir,
    process::{room, subreaper},
    protocol::error::ApiError,
};

/// Why a store did not open.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The state directory can't be used.
    #[error(transparent)]
    StateDir(#[from] StateDirError),
    /// This process belongs to a run of it.
    #[error(transparent)]
    Inside(ApiError),
    /// Another store holds it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The database did not open.
    #[error(transparent)]
    Database(#[from] OpenError),
    /// The file of the database is damaged.
    #[error("{error}")]
    Damaged {
        /// How it was found to be.
        error: OpenError,
        /// What to do, with the commands that do it.
        way_back: String,
    },
    /// The sockets could not be made.
    #[error(transparent)]
    Sockets(#[from] BindError),
    /// What an earlier store left could not be read.
    #[error("the state directory could not be reconciled")]
    Reconcile(#[source] ApiError),
    /// The system refused what a store needs.
    #[error("this process can't be a store")]
    System(#[source] std::io::Error),
}

impl StoreError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::StateDir(error) => Some(error.hint()),
            Self::Damaged { way_back, .. } => Some(way_back.clone()),
            Self::Database(error) => error.hint().map(ToString::to_string),
            Self::Inside(refusal) => refusal.hint.clone(),
            Self::Lock(LockError::HeldBy { .. }) => {
                Some("`callbox serve --wait` waits for it to end".to_owned())
            }
            Self::Lock(LockError::File { .. }) | Self::Sockets(_) | Self::Reconcile(_) | Self::System(_) => {
                None
            }
        }
    }
}

/// Descriptors that a request takes: its connection, a look at who asks, and the database.
const ANSWERING: usize = 6;

/// A store that is open in this process.
pub struct Store {
    engine: Engine,
    served: JoinHandle<()>,
    tended: JoinHandle<()>,
    notified: JoinHandle<Notifying>,
    /// What a store does beside that only where it stays.
    beside: Vec<JoinHandle<()>>,
    kept_awake: Option<JoinHandle<()>>,
    database: Arc<Database>,
    lock: Locked,
    footing: Footing,
}

/// Whether to wait for another store to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// As long as it takes.
    Yes,
    /// Refuse at once.
    No,
}

fn open_database(state: &StateDir) -> Result<Database, StoreError> {
    let damaged = |error| match way_back(state, &error) {
        Some(way_back) => StoreError::Damaged { error, way_back },
        None => StoreError::Database(error),
    };
    if let Some(detail) = loss(state) {
        return Err(damaged(OpenError::Damaged { path: state.database(), detail: detail.to_owned() }));
    }
    Database::open(&state.database()).map_err(damaged)
}

impl Store {
    /// Opens the state directory at `path`; from then on it answers at its sockets.
    pub async fn open(path: &Path, settings: StoreSettings, wait: Wait) -> Result<Self, StoreError> {
        let state = prepare(path)?;
        refuse_from_inside(&state)?;
        let lock = match wait {
            Wait::Yes => Locked::wait(&state).await?,
            Wait::No => Locked::take(&state)?,
        };
        subreaper::become_one().map_err(StoreError::System)?;
        let database = Arc::new(open_database(&state)?);
        lock.announce(database.generation())?;
        let runs = Runs::of_this_store(&state).map_err(StoreError::System)?;
        let stop = CancellationToken::new();
        let engine = Engine::new(Arc::clone(&database), state.clone(), settings, runs, stop.clone());
        let used = Used::in_state(&state).map_err(StoreError::System)?;
        engine.pass_used_numbers(used).await.map_err(StoreError::Reconcile)?;
        engine.begin_notifying().await.map_err(StoreError::Reconcile)?;
        recovery::reconcile(&engine).await.map_err(StoreError::Reconcile)?;
        if engine.residency() == Residency::Resident {
            let mended = engine.write(|write| health::all_perhaps_mended(write, Timestamp::now())).await;
            mended.map_err(StoreError::Reconcile)?;
        }
        let Sockets { agent, store } = Sockets::bind(&state, &lock)?;
        let planes = vec![
            Plane { socket: agent, routes: routes::agent(engine.clone()) },
            Plane { socket: store, routes: routes::store(engine.clone()) },
        ];
        room::for_descriptors(ANSWERING).map_err(StoreError::System)?;
        let files = [state.lock(), state.database(), state.agent_socket(), state.store_socket()];
        let footing = Footing::on(files);
        let served = tokio::spawn(serve(planes, stop));
        let tended = tokio::spawn(engine.clone().tend());
        let beside = match engine.residency() {
            Residency::Resident => {
                vec![tokio::spawn(engine.clone().keep_copies()), tokio::spawn(engine.clone().keep_house())]
            }
            Residency::Hosted { .. } => Vec::new(),
        };
        let notified = tokio::spawn(engine.clone().notify(Notifying::new()));
        Ok(Self { engine, served, tended, notified, beside, kept_awake: None, database, lock, footing })
    }

    /// The state directory it holds.
    pub fn state(&self) -> &StateDir {
        self.engine.state()
    }

    /// Keeps the machine awake while anything runs, until this store ends.
    pub fn keep_awake(&mut self) {
        let engine = self.engine.clone();
        self.kept_awake.get_or_insert_with(|| tokio::spawn(engine.keep_awake()));
    }

    /// All that begins from now on is as `settings` say; what goes on is not touched.
    pub async fn reconfigure(&self, settings: StoreSettings) {
        self.engine.reconfigure(settings).await;
    }

    /// Ends when the store must stop by itself; why, in words that follow "because".
    pub async fn displaced(&self) -> String {
        tokio::select! {
            () = self.database.fenced().cancelled() => {
                "its database was taken by another store, removed or replaced".to_owned()
            }
            () = self.engine.damaged().cancelled() => "its database is damaged".to_owned(),
            file = self.footing.lost() => format!("`{}` was removed or replaced", file.display()),
        }
    }

    /// Waits until every supervisor whose execution has ended is gone. Those that are still at work go
    /// on without this store and are not waited for.
    pub async fn settled(&self) {
        let mut known = self.engine.supervisors().watch();
        loop {
            let Ok(alive) = self.engine.read(|read| Ok(execution::alive(read)?)).await else { return };
            let alive: HashSet<ExecutionNumber> = alive.into_iter().map(|run| run.number).collect();
            if known.borrow_and_update().is_subset(&alive) || known.changed().await.is_err() {
                return;
            }
        }
    }

    /// Stops gracefully: no new requests, those under way are finished, the database is closed and
    /// the lock freed. Supervisors go on.
    pub async fn close(self) {
        self.engine.stop().cancel();
        let _ = self.tended.await;
        for beside in self.beside {
            // What is under way is broken off, and cleared away or taken up by the next.
            beside.abort();
        }
        if let Some(kept_awake) = self.kept_awake {
            let _ = kept_awake.await;
        }
        let _ = self.served.await;
        // Behind the last request that may have recorded anything.
        if let Ok(notifying) = self.notified.await {
            self.engine.tell_the_last(notifying).await;
        }
        let database = self.database;
        let (closed, wait) = tokio::sync::oneshot::channel::<()>();
        let closing = Arc::clone(&database);
        let apart = thread::Builder::new().spawn(move || {
            closing.close();
            drop(closed);
        });
        match apart {
            Ok(_) => _ = wait.await,
            // Nobody is served any more who would have to wait meanwhile.
            Err(_) => database.close(),
        }
        drop(self.lock);
    }
}
