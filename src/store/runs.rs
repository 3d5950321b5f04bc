//! Which processes act for agents: a guard against accident, not a proof.

use std::{
    collections::{HashMap, HashSet},
    io,
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
};

use super::peer::Peer;
use crate::{
    ids::ExecutionNumber,
    layout::StateDir,
    process::{Pid, Process},
    vocabulary::Shortage,
};

/// The supervisors of the executions that go on, by their process. Cloning shares them.
///
/// The engine notes a supervisor before its agent starts and strikes it once its tree is gone.
#[derive(Debug, Clone)]
pub struct Runs {
    store: Process,
    /// The state directory, absolute and without links.
    state: PathBuf,
    supervisors: Arc<RwLock<HashMap<ExecutionNumber, Process>>>,
    /// Processes that the store started to act for the person, as a command of theirs would.
    helpers: Arc<RwLock<HashSet<Process>>>,
}

/// For whom a peer acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// For the person: it descends from no supervisor and not from the store.
    Person,
    /// For the agent of this execution.
    Agent(ExecutionNumber),
    /// For some run: it descends from the store, to which falls what a dead supervisor leaves.
    Orphan,
    /// That could not be found out.
    Unknown,
    /// That was not looked for, for lack of this.
    Unlooked(Shortage),
}

impl Runs {
    /// None yet, for the store of `state` that this process is. Fails where `/proc` shows not even this process:
    /// then nobody's standing can be found out.
    pub fn of_this_store(state: &StateDir) -> io::Result<Self> {
        let store = Process::current().map_err(io::Error::other)?;
        Ok(Self {
            store,
            state: state.root().to_owned(),
            supervisors: Arc::default(),
            helpers: Arc::default(),
        })
    }

    /// Notes that the process `pid` supervises `execution`. One that has ended already is not noted:
    /// what it leaves falls to the store, and is refused as such.
    pub fn begin(&self, execution: ExecutionNumber, pid: u32) {
        let supervisor = Pid::new(pid).and_then(|pid| Process::of(pid).ok());
        let mut supervisors = self.supervisors.write().unwrap_or_else(PoisonError::into_inner);
        match supervisor {
            Some(supervisor) => supervisors.insert(execution, supervisor),
            None => supervisors.remove(&execution),
        };
    }

    /// Strikes the supervisor of `execution`.
    pub fn end(&self, execution: ExecutionNumber) {
        self.supervisors.write().unwrap_or_else(PoisonError::into_inner).remove(&execution);
    }

    /// Notes that the child `pid` of the store acts for the person, with all it starts: a program of callbox's own, in
    /// which no agent has a say. One that has ended already is not noted.
    pub(super) fn begin_help(&self, pid: u32) -> Option<Process> {
        let helper = Pid::new(pid).and_then(|pid| Process::of(pid).ok())?;
        self.helpers.write().unwrap_or_else(PoisonError::into_inner).insert(helper);
        Some(helper)
    }

    /// Strikes it.
    pub(super) fn end_help(&self, helper: Process) {
        self.helpers.write().unwrap_or_else(PoisonError::into_inner).remove(&helper);
    }

    /// For whom `peer` would decide: by its ancestors, and where these lead to nobody by what it and
    /// they carried of a run of this state. Such a run left its supervisor's tree, or survived it.
    pub fn deciding(&self, peer: &Peer) -> Standing {
        match self.standing(peer) {
            // The store itself carries nothing: it could not have opened.
            Standing::Person => {
                let borne = peer.bearings.iter().find(|bearing| bearing.is_within(&self.state));
                borne.map_or(Standing::Person, |bearing| Standing::Agent(bearing.execution))
            }
            standing => standing,
        }
    }

    /// For whom `peer` acts, by its ancestors when it connected.
    pub fn standing(&self, peer: &Peer) -> Standing {
        let Some(line) = &peer.line else {
            return peer.unlooked.map_or(Standing::Unknown, Standing::Unlooked);
        };
        let supervisors = self.supervisors.read().unwrap_or_else(PoisonError::into_inner);
        let helpers = self.helpers.read().unwrap_or_else(PoisonError::into_inner);
        standing(line, self.store, (&supervisors, &helpers))
    }
}

/// `line` is the peer and its ancestors, youngest first. The nearest supervisor counts: a run may be
/// started from within another state's run.
fn standing(
    line: &[Process],
    store: Process,
    (supervisors, helpers): (&HashMap<ExecutionNumber, Process>, &HashSet<Process>),
) -> Standing {
    // The store may be its own client, and a command that supervises may host the store.
    if line.first() == Some(&store) {
        return Standing::Person;
    }
    for process in line {
        if let Some((execution, _)) = supervisors.iter().find(|(_, supervisor)| *supervisor == process) {
            return Standing::Agent(*execution);
        }
        if helpers.contains(process) {
            return Standing::Person;
        }
    }
    match line {
        [] => Standing::Unknown,
        line if line.contains(&store) => Standing::Orphan,
        _ => Standing::Person,
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    fn process(pid: u32) -> Process {
        Process { pid: Pid::new(pid).unwrap(), started: 100 + u64::from(pid) }
    }

    fn judged(line: &[u32]) -> Standing {
        let supervisors =
            HashMap::from([(ExecutionNumber::new(1), process(50)), (ExecutionNumber::new(2), process(60))]);
        let line: Vec<_> = line.iter().map(|pid| process(*pid)).collect();
        standing(&line, process(40), (&supervisors, &HashSet::from([process(45)])))
    }

    #[test]
    fn whatever_is_or_descends_from_a_supervisor_acts_for_its_agent() {
        assert_eq!(judged(&[50, 40, 1]), Standing::Agent(ExecutionNumber::new(1)));
        assert_eq!(judged(&[99, 70, 60, 1]), Standing::Agent(ExecutionNumber::new(2)));
        assert_eq!(judged(&[99, 60, 70, 50]), Standing::Agent(ExecutionNumber::new(2)));
    }

    #[test]
    fn the_store_may_be_its_own_client_and_nothing_that_it_started_may() {
        assert_eq!(judged(&[40, 1]), Standing::Person);
        assert_eq!(judged(&[99, 40, 1]), Standing::Orphan);
        assert_eq!(judged(&[99, 30, 1]), Standing::Person);
        // What helps it does, and what helps it never began a run.
        assert_eq!(judged(&[99, 45, 40, 1]), Standing::Person);
        assert_eq!(judged(&[99, 50, 45, 40]), Standing::Agent(ExecutionNumber::new(1)));
    }

    #[test]
    fn a_process_is_judged_by_who_started_it() {
        let mut child = Command::new("sh").args(["-c", "read line"]).stdin(Stdio::piped()).spawn().unwrap();
        let peer = |pid| Peer {
            pid: Some(pid),
            uid: 0,
            program: None,
            terminal: None,
            line: crate::store::peer::line(pid),
            unlooked: None,
            bearings: Vec::new(),
        };
        let (pid, execution) = (child.id(), ExecutionNumber::new(31));
        let runs = Runs::of_this_store(&StateDir::at("/s")).unwrap();
        assert_eq!(runs.standing(&peer(pid)), Standing::Orphan);
        runs.begin(execution, pid);
        assert_eq!(runs.standing(&peer(pid)), Standing::Agent(execution));
        assert_eq!(runs.standing(&peer(std::process::id())), Standing::Person);
        runs.end(execution);
        assert_eq!(runs.standing(&peer(pid)), Standing::Orphan);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(runs.standing(&peer(pid)), Standing::Unknown);
    }

    #[test]
    fn a_reused_pid_is_no_supervisor_and_a_line_that_is_not_known_is_not_trusted() {
        let reused = Process { started: 9, ..process(50) };
        let supervisors = HashMap::from([(ExecutionNumber::new(1), process(50))]);
        let none = HashSet::new();
        assert_eq!(standing(&[process(99), reused], process(40), (&supervisors, &none)), Standing::Person);
        assert_eq!(judged(&[]), Standing::Unknown);
    }
}
