//! The one execution this process supervises, as it was launched.

use std::{
    collections::BTreeMap,
    fs::{self, DirBuilder},
    io::{self, BufRead as _, Read as _},
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use super::{
    arguments::Supervise,
    environment::{Own, environment, for_agent},
    ports::first_of_ten,
};
use crate::{
    agents::Catalogue,
    ids::Secret,
    layout::StateDir,
    process::{Family, FaultPoints},
    protocol::launch::{LaunchPlan, LaunchSecrets, Workplace},
};

/// The most that is read of the secrets, in bytes.
const MAX_SECRETS: u64 = 4 << 20;

/// Everything that is known before anything is done.
#[derive(Debug)]
pub(super) struct Execution {
    /// What to do.
    pub(super) plan: LaunchPlan,
    /// The state directory; absolute.
    pub(super) state: StateDir,
    /// The agent programs there are.
    pub(super) agents: Catalogue,
    /// The values that were looked up for this launch.
    pub(super) given: BTreeMap<String, Secret>,
    /// What the agent's shim proves itself with.
    pub(super) token: Option<Secret>,
    /// The file mode mask this process was started with, which the agent is to have.
    pub(super) umask: u32,
    /// The processes this one started.
    pub(super) family: Family,
    /// Where a test wants this process to die.
    pub(super) faults: FaultPoints,
    /// The first of ten ports for whatever the run starts, once it was looked for.
    port: OnceLock<Option<u16>>,
}

/// Why this process cannot even begin.
#[derive(Debug, thiserror::Error)]
pub(super) enum LaunchError {
    /// The plan is missing or is none.
    #[error("the launch plan `{}` cannot be read", path.display())]
    Plan {
        /// Its path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The plan is that of another execution.
    #[error("the launch plan is for another execution")]
    OtherExecution,
    /// Standard input does not hold the secrets.
    #[error("the secrets on standard input cannot be read")]
    Secrets {
        /// Why; says no part of them.
        source: io::Error,
    },
}

impl Execution {
    /// Reads the plan from the state directory and the secrets from standard input. The second value
    /// is what this process proves itself with.
    pub(super) fn read(given: &Supervise, umask: u32) -> Result<(Self, Secret), LaunchError> {
        let root = std::path::absolute(&given.state).unwrap_or_else(|_| given.state.clone());
        let state = StateDir::at(root);
        let path = state.launch_plan(given.execution);
        let plan = fs::read(&path).and_then(|text| Ok(serde_json::from_slice::<LaunchPlan>(&text)?));
        let plan = plan.map_err(|source| LaunchError::Plan { path, source })?;
        if plan.execution != given.execution {
            return Err(LaunchError::OtherExecution);
        }
        let secrets = read_secrets().map_err(|source| LaunchError::Secrets { source })?;
        let described = plan.description.as_ref().map(|description| (plan.agent.as_str(), description));
        let agents = Catalogue::built_in().describing(described);
        let execution = Self {
            plan,
            state,
            agents,
            given: secrets.environment,
            token: secrets.token,
            umask,
            family: Family::default(),
            faults: FaultPoints::read(),
            port: OnceLock::new(),
        };
        Ok((execution, secrets.supervisor_secret))
    }

    /// The execution's own folder; absolute.
    pub(super) fn folder(&self) -> PathBuf {
        self.state.execution(self.plan.execution)
    }

    /// The run's folder for temporary files; absolute.
    pub(super) fn tmp(&self) -> PathBuf {
        self.folder().join("tmp")
    }

    /// Whether the run is hermetic: its home is the state directory's, which is no person's.
    pub(super) fn has_own_home(&self) -> bool {
        self.given.get("HOME").is_some_and(|home| Path::new(home.expose()) == self.state.home())
    }

    /// Where the agent works; absolute.
    pub(super) fn directory(&self) -> PathBuf {
        let (Workplace::Empty { directory }
        | Workplace::Clone { directory, .. }
        | Workplace::Own { directory }) = &self.plan.workplace;
        self.state.resolve(directory)
    }

    /// The agent's environment, `adapter` being what its adapter adds.
    pub(super) fn environment(&self, adapter: &BTreeMap<String, Secret>) -> BTreeMap<String, Secret> {
        let own = Own {
            execution: self.plan.execution,
            tmp: &self.tmp(),
            sandboxes: self.state.sandboxes(),
            port: *self.port.get_or_init(|| first_of_ten(self.plan.task)),
        };
        environment(
            &for_agent(&self.given, &self.plan.withheld, &self.agents.variables()),
            &self.plan.env,
            adapter,
            &own,
        )
    }
}

/// Makes `path` and what is missing above it, for this user alone.
pub(super) fn make_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// The error of a JSON reader may quote what it read, so only its kind and place are passed on.
fn read_secrets() -> io::Result<LaunchSecrets> {
    let mut line = Vec::new();
    io::stdin().lock().take(MAX_SECRETS).read_until(b'\n', &mut line)?;
    serde_json::from_slice(&line).map_err(|error| {
        let what = format!("no launch secrets ({:?} at column {})", error.classify(), error.column());
        io::Error::new(io::ErrorKind::InvalidData, what)
    })
}
