//! The names inside the state directory.

use std::path::{Path, PathBuf};

use crate::ids::{ExecutionNumber, TaskNumber};

/// The path of a state directory, and through it of everything in it.
///
/// ```text
/// callbox.db   lock   agent/agent.sock   operator/store.sock
/// executions/<number>/…   sandboxes/<task number>/<n>/   home/ (hermetic runs)
/// ```
///
/// Numbers are bare here: `executions/31`, `sandboxes/12/1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateDir {
    root: PathBuf,
}

impl StateDir {
    /// The state directory at `root`; relative paths stay relative to the working directory.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The database. SQLite puts `-wal` and `-shm` beside it.
    pub fn database(&self) -> PathBuf {
        self.root.join("callbox.db")
    }

    /// The folder of the copies that a store makes by itself.
    pub fn backups(&self) -> PathBuf {
        self.root.join("backups")
    }

    /// The file whose lock makes a process the store.
    pub fn lock(&self) -> PathBuf {
        self.root.join("lock")
    }

    /// The folder of the agent plane's socket alone, which a container may be given.
    pub fn agent_folder(&self) -> PathBuf {
        self.root.join("agent")
    }

    /// The socket of the agent plane.
    pub fn agent_socket(&self) -> PathBuf {
        self.agent_folder().join("agent.sock")
    }

    /// The folder of the socket that no agent may reach.
    pub fn operator_folder(&self) -> PathBuf {
        self.root.join("operator")
    }

    /// The socket of the operator and supervisor planes.
    pub fn store_socket(&self) -> PathBuf {
        self.operator_folder().join("store.sock")
    }

    /// What failed of the command that is told what happens.
    pub fn notify_log(&self) -> PathBuf {
        self.root.join("notify.log")
    }

    /// What came of the removals that a store had done by itself.
    pub fn gc_log(&self) -> PathBuf {
        self.root.join("gc.log")
    }

    /// The folder of all executions' folders.
    pub fn executions(&self) -> PathBuf {
        self.root.join("executions")
    }

    /// One execution's own folder.
    pub fn execution(&self, number: ExecutionNumber) -> PathBuf {
        self.executions().join(number.value().to_string())
    }

    /// The file whose lock says that the execution's supervisor lives.
    pub fn alive(&self, number: ExecutionNumber) -> PathBuf {
        self.execution(number).join("alive")
    }

    /// What the execution's supervisor was told to do, secrets aside.
    pub fn launch_plan(&self, number: ExecutionNumber) -> PathBuf {
        self.execution(number).join("launch.json")
    }

    /// What the execution's supervisor reported, one report a line, until the store has it.
    pub fn spool(&self, number: ExecutionNumber) -> PathBuf {
        self.execution(number).join("spool.jsonl")
    }

    /// What the execution's supervisor says of its own work.
    pub fn supervisor_log(&self, number: ExecutionNumber) -> PathBuf {
        self.execution(number).join("supervisor.log")
    }

    /// The bytes the agent program wrote.
    pub fn agent_log(&self, number: ExecutionNumber) -> PathBuf {
        self.execution(number).join("agent.log")
    }

    /// The bytes the agent program wrote to its standard error.
    pub fn agent_errors(&self, number: ExecutionNumber) -> PathBuf {
        self.execution(number).join("agent.stderr.log")
    }

    /// What the agent said and did, for people.
    pub fn transcript(&self, number: ExecutionNumber) -> PathBuf {
        self.execution(number).join("transcript.log")
    }

    /// What the command that set the sandbox up wrote.
    pub fn setup_log(&self, number: ExecutionNumber) -> PathBuf {
        self.execution(number).join("setup.log")
    }

    /// What the command that decides about the work wrote.
    pub fn verify_log(&self, number: ExecutionNumber) -> PathBuf {
        self.execution(number).join("verify.log")
    }

    /// Which commit is to be handed over.
    pub fn committed(&self, number: ExecutionNumber) -> PathBuf {
        self.execution(number).join("committed.json")
    }

    /// The work as a patch, where that is wanted.
    pub fn work_patch(&self, number: ExecutionNumber) -> PathBuf {
        self.execution(number).join("work.patch")
    }

    /// The folder of all sandboxes. Above it no git of an agent's may look for a repository.
    pub fn sandboxes(&self) -> PathBuf {
        self.root.join("sandboxes")
    }

    /// A task's sandbox number `place`, from 1: a fresh start takes the next one.
    pub fn sandbox(&self, task: TaskNumber, place: u32) -> PathBuf {
        self.sandboxes().join(task.value().to_string()).join(place.to_string())
    }

    /// What is to be gone of the sandboxes.
    pub fn sandbox_trash(&self) -> PathBuf {
        self.sandboxes().join("trash")
    }

    /// What is to be gone of the executions' folders.
    pub fn execution_trash(&self) -> PathBuf {
        self.executions().join("trash")
    }

    /// HOME of agents in hermetic runs.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// `path` as the database keeps it; `None` when it is not inside the state directory.
    pub fn relative<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        path.strip_prefix(&self.root).ok()
    }

    /// A path as the database keeps it, made whole. An absolute one stays as it is.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.root.join(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{AGENT_SOCKET, STORE_SOCKET};

    #[test]
    fn the_sockets_stand_where_the_protocol_says() {
        let state = StateDir::at("/s");
        assert_eq!(state.agent_socket(), Path::new("/s").join(AGENT_SOCKET));
        assert_eq!(state.store_socket(), Path::new("/s").join(STORE_SOCKET));
    }

    #[test]
    fn what_was_made_relative_is_found_again_wherever_the_directory_moved() {
        let sandbox = StateDir::at("/old").sandbox(TaskNumber::new(12), 1);
        assert_eq!(sandbox, Path::new("/old/sandboxes/12/1"));
        let state = StateDir::at("/old");
        let stored = state.relative(&sandbox).unwrap();
        assert_eq!(StateDir::at("/new").resolve(stored), Path::new("/new/sandboxes/12/1"));
        assert_eq!(state.relative(Path::new("/oldish/x")), None);
    }
}
