//! An engine over a real state directory, for the unit tests of this room.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{
    engine::Engine,
    peer::Peer,
    runs::Runs,
    settings::{Residency, StoreSettings},
    state_dir::prepare,
    transition::{Occasion, apply},
};
use crate::{
    database::{
        Database,
        rows::{execution, task},
    },
    domain::{Author, Caps, Start, TaskEvent, TaskState},
    ids::{ExecutionNumber, TaskNumber},
    vocabulary::{Quotas, SandboxRules, TaskSpec},
};

/// An engine that tends nothing, with one task whose one execution was claimed.
pub(super) struct Fixture {
    pub(super) engine: Engine,
    pub(super) task: TaskNumber,
    pub(super) execution: ExecutionNumber,
    _folder: tempfile::TempDir,
}

impl Fixture {
    pub(super) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let state = prepare(&folder.path().join("state")).unwrap();
        let database = Arc::new(Database::open(&state.database()).unwrap());
        let runs = Runs::of_this_store(&state).unwrap();
        let engine = Engine::new(database, state, settings(), runs, CancellationToken::new());
        let (task, execution) = engine
            .write(|write| {
                let occasion = Occasion::own();
                let new = task::NewTaskRow {
                    spec: TaskSpec::new("scripted", "- print: x"),
                    parent: None,
                    author: Author::Person,
                    spawn_base: None,
                    variables: Vec::new(),
                    state: TaskState::queued(Start::Fresh),
                    at: occasion.now,
                };
                let task = task::insert(write, &new)?;
                let details = execution::Details::new("scripted", Start::Fresh);
                let execution = execution::insert(write, task, 1, &details, occasion.now)?;
                apply(write, task, &TaskEvent::Claim { execution }, &occasion)?;
                Ok((task, execution))
            })
            .await
            .unwrap();
        Self { engine, task, execution, _folder: folder }
    }

    pub(super) async fn task_row(&self) -> task::TaskRow {
        let number = self.task;
        self.engine.read(move |read| Ok(task::get(read, number)?)).await.unwrap().unwrap()
    }
}

/// This process, as a person's.
pub(super) fn person() -> Arc<Peer> {
    Arc::new(Peer {
        pid: None,
        uid: 0,
        program: None,
        terminal: None,
        line: None,
        unlooked: None,
        bearings: Vec::new(),
    })
}

/// The configuration of no file, and one slot.
pub(super) fn settings() -> StoreSettings {
    StoreSettings {
        quotas: Quotas { max_concurrent: 1, ..Quotas::default() },
        caps: Caps::default(),
        subtask_agents: Vec::new(),
        agents: std::collections::BTreeMap::new(),
        preamble: None,
        caches: Vec::new(),
        sandbox: SandboxRules::default(),
        notify: None,
        gc_every: None,
        env_file: None,
        residency: Residency::Resident,
    }
}
