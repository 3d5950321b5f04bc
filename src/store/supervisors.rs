//! The supervisors this store started or found alive, and what happens when one is gone.

use std::{
    collections::{BTreeMap, HashSet},
    fs::OpenOptions,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    process::Stdio,
    sync::Arc,
    thread,
    time::Duration,
};

use tokio::{
    io::AsyncWriteExt as _,
    process::{Child, Command},
    sync::watch,
    time::timeout,
};

use super::{claim::Launch, engine::Engine, execution_folder::begin_folder, recovery};
use crate::{
    ids::{ExecutionNumber, Secret},
    layout::StateDir,
    process::{Family, Process, alive},
    protocol::launch::{EXIT_LACKING, LaunchSecrets},
    vocabulary::{Fault, SERVICE_VARIABLES, Shortage},
};

/// Between two looks at a process that is to become a supervisor.
const LOOK: Duration = Duration::from_millis(100);

/// The supervisors of one store.
pub(super) struct Supervisors {
    state: StateDir,
    family: Arc<Family>,
    /// Those that are there, for whoever waits until some are gone.
    known: watch::Sender<HashSet<ExecutionNumber>>,
}

impl Supervisors {
    /// None yet.
    pub(super) fn new(state: StateDir) -> Self {
        Self { state, family: Arc::new(Family::default()), known: watch::Sender::default() }
    }

    /// The processes this store started itself.
    pub(super) fn family(&self) -> &Arc<Family> {
        &self.family
    }

    /// Whether `number` has a supervisor, as far as this store knows.
    pub(super) fn knows(&self, number: ExecutionNumber) -> bool {
        self.known.borrow().contains(&number)
    }

    /// The executions that have one, now and whenever that changes.
    pub(super) fn watch(&self) -> watch::Receiver<HashSet<ExecutionNumber>> {
        self.known.subscribe()
    }

    /// Starts the supervisor of `launch`, detached, from this program's own image: its path may be
    /// gone after an upgrade.
    pub(super) fn start(
        &self,
        engine: &Engine,
        launch: Launch,
        environment: BTreeMap<String, Secret>,
    ) -> Result<(), Fault> {
        let number = launch.execution;
        let failed = |error: io::Error| {
            let message = format!("the supervisor of `{number}` could not be started: {error}");
            Fault::new("supervisor", message).lacking(Shortage::of(&error))
        };
        self.write_plan(&launch).map_err(failed)?;
        let mut child = self.spawn(&launch).map_err(failed)?;
        self.note(number);
        if let Some(pid) = child.id() {
            engine.runs().begin(number, pid);
        }
        let (task, agent) = (launch.plan.task, &launch.plan.agent);
        tracing::info!(execution = %number, %task, agent, "its supervisor is started");
        let secrets =
            LaunchSecrets { supervisor_secret: launch.supervisor_secret, token: launch.token, environment };
        let engine = engine.clone();
        tokio::spawn(async move {
            hand_over(&mut child, &secrets).await;
            drop(secrets);
            let status = child.wait().await;
            if let Err(error) = &status {
                tracing::warn!(%error, execution = %number, "a supervisor could not be waited for");
            }
            let lacked = status.is_ok_and(|status| status.code() == Some(i32::from(EXIT_LACKING)));
            let absence = if lacked { recovery::Absence::Lacked } else { recovery::Absence::Ended };
            engine.supervisor_gone(number, absence).await;
        });
        Ok(())
    }

    /// Watches a supervisor that another store started.
    pub(super) fn adopt(&self, engine: &Engine, number: ExecutionNumber) {
        self.note(number);
        tracing::info!(execution = %number, "its supervisor, which this store did not start, is watched");
        let path = self.state.alive(number);
        if let Some(pid) = alive::holder_pid(&path) {
            engine.runs().begin(number, pid.get());
        }
        let (gone, wait) = tokio::sync::oneshot::channel();
        // A thread of its own, since it may block for days and must not keep the runtime from ending.
        let watched = path.clone();
        let watching = thread::Builder::new().spawn(move || {
            if let Err(error) = alive::wait_until_free(&watched) {
                tracing::error!(%error, execution = %number, "a supervisor could not be watched");
            }
            let _ = gone.send(());
        });
        let engine = engine.clone();
        tokio::spawn(async move {
            if watching.is_err() {
                // No thread to wait with: it is looked at again and again.
                while alive::is_held(&path).unwrap_or(true) {
                    tokio::time::sleep(LOOK).await;
                }
            } else if wait.await.is_err() {
                return;
            }
            engine.supervisor_gone(number, recovery::Absence::Ended).await;
        });
    }

    /// Watches the process that is to become the supervisor of `number`, until it says so and is adopted:
    /// before that it may hold no lock yet, and nobody else would notice its end. Looked at again and again,
    /// since that takes no longer than a program's start.
    pub(super) fn expect(&self, engine: &Engine, number: ExecutionNumber, process: Process) {
        let mut known = self.watch();
        let engine = engine.clone();
        tokio::spawn(async move {
            while process.is_alive() {
                let adopted = known.wait_for(|known| known.contains(&number));
                if timeout(LOOK, adopted).await.is_ok() {
                    return;
                }
            }
            if !engine.supervisors().knows(number) {
                engine.supervisor_gone(number, recovery::Absence::Ended).await;
            }
        });
    }

    fn note(&self, number: ExecutionNumber) {
        self.known.send_modify(|known| _ = known.insert(number));
    }

    fn forget(&self, number: ExecutionNumber) {
        self.known.send_modify(|known| _ = known.remove(&number));
    }

    /// Not waited for on the disk: the plan is read once, by the supervisor that is started next, and
    /// a machine that stopped before has no supervisor either.
    fn write_plan(&self, launch: &Launch) -> io::Result<()> {
        // A new execution is given its token; one that is only to be delivered has a folder.
        if launch.token.is_some() {
            begin_folder(&self.state, launch.execution)?;
        }
        let plan = serde_json::to_vec_pretty(&launch.plan).map_err(io::Error::other)?;
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(self.state.launch_plan(launch.execution))?;
        file.write_all(&plan)
    }

    fn spawn(&self, launch: &Launch) -> io::Result<Child> {
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(self.state.supervisor_log(launch.execution))?;
        let mut command = Command::new("/proc/self/exe");
        command
            .arg0("callbox")
            .arg("supervise")
            .arg("--state")
            .arg(self.state.root())
            .arg("--execution")
            .arg(launch.execution.to_string())
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(log.try_clone()?)
            .stderr(log);
        for name in SERVICE_VARIABLES {
            command.env_remove(name);
        }
        self.family.spawn(&mut command)
    }
}

/// A supervisor that is already gone reads nothing; its end is noticed by itself.
async fn hand_over(child: &mut Child, secrets: &LaunchSecrets) {
    let Some(mut input) = child.stdin.take() else { return };
    if let Ok(mut line) = serde_json::to_vec(secrets) {
        line.push(b'\n');
        let _ = input.write_all(&line).await;
    }
}

impl Engine {
    /// The supervisor of `number` has ended. Whatever it left is ended and its spool taken before its
    /// execution is decided about.
    async fn supervisor_gone(&self, number: ExecutionNumber, absence: recovery::Absence) {
        tracing::info!(execution = %number, "its supervisor has ended");
        recovery::settle(self, number, absence).await;
        self.runs().end(number);
        self.supervisors().forget(number);
        self.call_attention();
    }
}
