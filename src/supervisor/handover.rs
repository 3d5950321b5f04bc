//! Handing the work of a run over: left-over changes are committed, then that commit goes into the
//! project. Both can be repeated after any kill.

use std::{fs, io, path::PathBuf};

use rustix::{fs::Mode, process::umask};
use serde::{Deserialize, Serialize};

use super::{apart::apart, ending::fault, execution::Execution, workplace::GitSetup};
use crate::{
    ids::TaskNumber,
    layout::StateDir,
    protocol::launch::{Base, Handover, Workplace, kept_reference},
    sandbox::{
        DeliverRequest, KeepRequest, LeftoverRequest, PatchRequest, commit_leftovers, deliver, keep,
        recorded_base, set_up_mark, write_patch,
    },
    vocabulary::{Fault, Finish, Shortage},
};

/// The code of work that could not be handed over.
pub(super) const CODE: &str = "delivery";

/// Work that stands in a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Committed {
    pub(super) base: String,
    pub(super) head: String,
    pub(super) notes: Vec<String>,
}

/// Commits what the agent left over; `None` where nothing is to be handed over, such as what a `setup` that never
/// passed has left: no agent worked there.
///
/// What is committed is remembered in the execution's folder: whoever repeats the step after a kill, or keeps the work
/// of a run whose agent never began, must not take for an agent's work what the `verify` command wrote.
pub(super) async fn commit(execution: &Execution) -> Result<Option<Committed>, Fault> {
    let not_set_up = execution.plan.setup.is_some() && !set_up_mark(&execution.directory()).exists();
    let Some(site) = Site::of(execution).filter(|_| !not_set_up) else { return Ok(None) };
    let committed = match site.recall() {
        Some(committed) => committed,
        None => blocking(execution, move || site.commit()).await?,
    };
    Ok(Some(committed))
}

/// Takes over what the execution before remembered of the work in the sandbox, which stands as it was until an agent
/// begins there.
pub(super) fn inherit(execution: &Execution) -> io::Result<()> {
    let (Some(site), Some(worked)) = (Site::of(execution), execution.plan.worked) else { return Ok(()) };
    // A sandbox that is made anew has other work.
    if !site.sandbox.is_dir() || site.recall().is_some() {
        return Ok(());
    }
    let earlier = Site { memory: execution.state.committed(worked), ..site };
    match earlier.recall() {
        Some(committed) => Site { memory: execution.state.committed(execution.plan.execution), ..earlier }
            .remember(&committed),
        None => Ok(()),
    }
}

/// An agent is about to begin: what is remembered of the work holds no longer.
pub(super) fn forget(execution: &Execution) -> io::Result<()> {
    match fs::remove_file(execution.state.committed(execution.plan.execution)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Hands `work` over, where there is any and it is wanted.
pub(super) async fn hand_over(execution: &Execution, work: Option<Committed>) -> Finish {
    let (Some(site), Some(work)) = (Site::of(execution), work) else {
        return Finish::Delivered { delivery: None, notice: None };
    };
    match blocking(execution, move || site.hand_over(work)).await {
        Ok(finish) => finish,
        Err(fault) => Finish::Failed { fault },
    }
}

/// Keeps `work`, where there is any, in the project and away from its branches.
pub(super) async fn keep_work(execution: &Execution, work: Option<Committed>) -> Finish {
    let (Some(site), Some(work)) = (Site::of(execution), work) else {
        return Finish::Kept { kept: None, notice: None };
    };
    let wanted = kept_reference(execution.plan.execution);
    match blocking(execution, move || site.keep(work, &wanted)).await {
        Ok(finish) => finish,
        Err(fault) => Finish::Failed { fault },
    }
}

/// Does `work`, whose files are as open as the person has them: some come into the project, and what comes into the
/// state directory stands behind private folders.
pub(super) async fn blocking<T: Send + 'static>(
    execution: &Execution,
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let persons = Mode::from_raw_mode(execution.umask);
    let work = move || {
        let private = umask(persons);
        let done = work();
        umask(private);
        done
    };
    let failed = |error: io::Error| {
        let fault = Fault::new(CODE, format!("handing over failed: {error}"));
        Err(fault.lacking(Shortage::of(&error)))
    };
    apart(work).await.unwrap_or_else(failed)
}

/// All that is to be said, in one line.
pub(super) fn together(notes: Vec<String>, notice: Option<String>) -> Option<String> {
    let notices: Vec<String> = notes.into_iter().chain(notice).collect();
    (!notices.is_empty()).then(|| notices.join("; "))
}

/// Where the work of an execution is, and where it goes.
pub(super) struct Site {
    pub(super) project: PathBuf,
    pub(super) sandbox: PathBuf,
    base: Option<String>,
    handover: Handover,
    patch: PathBuf,
    state: StateDir,
    pub(super) task: TaskNumber,
    pub(super) git: GitSetup,
    memory: PathBuf,
}

impl Site {
    /// Of a run whose work is wanted somewhere.
    pub(super) fn of(execution: &Execution) -> Option<Self> {
        let plan = &execution.plan;
        match (&plan.workplace, &plan.handover) {
            (Workplace::Clone { .. }, Handover::None) => None,
            (Workplace::Clone { project, base, .. }, handover) => Some(Self {
                project: project.clone(),
                sandbox: execution.directory(),
                base: match base {
                    Base::Revision { name } => Some(name.clone()),
                    _ => None,
                },
                handover: handover.clone(),
                patch: execution.state.work_patch(plan.execution),
                state: execution.state.clone(),
                task: plan.task,
                git: GitSetup::of(execution),
                memory: execution.state.committed(plan.execution),
            }),
            _ => None,
        }
    }

    fn recall(&self) -> Option<Committed> {
        serde_json::from_slice(&fs::read(&self.memory).ok()?).ok()
    }

    /// Whole or not at all: half of it would be read as nothing, and the step done anew.
    pub(super) fn remember(&self, committed: &Committed) -> io::Result<()> {
        let draft = self.memory.with_extension("new");
        fs::write(&draft, serde_json::to_vec(committed)?)?;
        fs::rename(draft, &self.memory)
    }

    fn commit(&self) -> Result<Committed, Fault> {
        let git = self.git.git().map_err(|error| fault(CODE, &error, None))?;
        // What was recorded with the sandbox counts; the plan knows it where that was lost.
        let base = match (recorded_base(&self.sandbox), &self.base) {
            (Ok(base), _) => base,
            (Err(_), Some(base)) => base.clone(),
            (Err(error), None) => return Err(fault(CODE, &error, None)),
        };
        let request = LeftoverRequest { directory: &self.sandbox, base: &base, task: self.task };
        let leftovers = commit_leftovers(&git, &request).map_err(|error| fault(CODE, &error, None))?;
        let committed = Committed { base, head: leftovers.head, notes: leftovers.notes };
        self.remember(&committed).map_err(|error| fault(CODE, &error, None))?;
        Ok(committed)
    }

    fn hand_over(&self, work: Committed) -> Result<Finish, Fault> {
        match &self.handover {
            Handover::Branch { branch } => self.deliver(work, branch),
            Handover::Patch => self.write_patch(work),
            // A merge has a step of its own.
            Handover::Merge { .. } | Handover::None => Ok(Finish::Delivered { delivery: None, notice: None }),
        }
    }

    fn write_patch(&self, work: Committed) -> Result<Finish, Fault> {
        let git = self.git.git().map_err(|error| fault(CODE, &error, None))?;
        let request = PatchRequest {
            sandbox: &self.sandbox,
            base: &work.base,
            head: &work.head,
            file: &self.patch,
            name: self.state.relative(&self.patch).unwrap_or(&self.patch),
        };
        let delivery = write_patch(&git, &request).map_err(|error| fault(CODE, &error, error.hint()))?;
        Ok(Finish::Delivered { delivery, notice: together(work.notes, None) })
    }

    fn deliver(&self, work: Committed, branch: &str) -> Result<Finish, Fault> {
        let git = self.git.git().map_err(|error| fault(CODE, &error, None))?;
        let request = DeliverRequest {
            project: &self.project,
            sandbox: &self.sandbox,
            base: &work.base,
            head: &work.head,
            branch,
        };
        let delivered = deliver(&git, &request).map_err(|error| fault(CODE, &error, error.hint()))?;
        let notice = together(work.notes, delivered.notice);
        Ok(Finish::Delivered { delivery: delivered.delivery, notice })
    }

    fn keep(&self, work: Committed, wanted: &str) -> Result<Finish, Fault> {
        let git = self.git.git().map_err(|error| fault(CODE, &error, None))?;
        let request = KeepRequest {
            project: &self.project,
            sandbox: &self.sandbox,
            base: &work.base,
            head: &work.head,
            reference: wanted,
        };
        let (kept, notice) = keep(&git, &request).map_err(|error| fault(CODE, &error, error.hint()))?;
        Ok(Finish::Kept { kept, notice: together(work.notes, notice) })
    }
}
