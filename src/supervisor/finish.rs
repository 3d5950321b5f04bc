//! The step behind the agent: left-over changes are committed and the branch is written. It can be
//! repeated after any kill.

use std::path::PathBuf;

use super::{ending::fault, execution::Execution, workplace::GitSetup};
use crate::{
    ids::TaskNumber,
    protocol::launch::{Base, Handover, Workplace},
    sandbox::{DeliverRequest, LeftoverRequest, commit_leftovers, deliver, recorded_base},
    vocabulary::{Fault, Finish},
};

/// The code of work that could not be handed over.
const CODE: &str = "delivery";

/// Hands the work of the run over, where there is any and it is wanted.
pub(super) async fn finish(execution: &Execution) -> Finish {
    let Some(handover) = HandingOver::of(execution) else {
        return Finish::Delivered { delivery: None, notice: None };
    };
    let done = tokio::task::spawn_blocking(move || handover.perform()).await;
    match done {
        Ok(Ok(finish)) => finish,
        Ok(Err(fault)) => Finish::Failed { fault },
        Err(error) => Finish::Failed { fault: Fault::new(CODE, format!("handing over failed: {error}")) },
    }
}

struct HandingOver {
    project: PathBuf,
    sandbox: PathBuf,
    base: Option<String>,
    branch: String,
    task: TaskNumber,
    git: GitSetup,
}

impl HandingOver {
    fn of(execution: &Execution) -> Option<Self> {
        let plan = &execution.plan;
        match (&plan.workplace, &plan.handover) {
            (Workplace::Clone { project, base, .. }, Handover::Branch { branch }) => Some(Self {
                project: project.clone(),
                sandbox: execution.directory(),
                base: match base {
                    Base::Revision { name } => Some(name.clone()),
                    _ => None,
                },
                branch: branch.clone(),
                task: plan.task,
                git: GitSetup::of(execution),
            }),
            _ => None,
        }
    }

    fn perform(self) -> Result<Finish, Fault> {
        let git = self.git.git().map_err(|error| fault(CODE, &error, None))?;
        // What was recorded with the sandbox counts; the plan knows it where that was lost.
        let base = match (recorded_base(&self.sandbox), self.base) {
            (Ok(base), _) | (Err(_), Some(base)) => base,
            (Err(error), None) => return Err(fault(CODE, &error, None)),
        };
        let request = LeftoverRequest { directory: &self.sandbox, base: &base, task: self.task };
        let leftovers = commit_leftovers(&git, &request).map_err(|error| fault(CODE, &error, None))?;
        let request = DeliverRequest {
            project: &self.project,
            sandbox: &self.sandbox,
            base: &base,
            head: &leftovers.head,
            branch: &self.branch,
        };
        let delivered = deliver(&git, &request).map_err(|error| fault(CODE, &error, error.hint()))?;
        let notices: Vec<String> = leftovers.notes.into_iter().chain(delivered.notice).collect();
        let notice = (!notices.is_empty()).then(|| notices.join("; "));
        Ok(Finish::Delivered { delivery: delivered.delivery, notice })
    }
}
