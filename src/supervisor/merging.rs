//! The finish step of work that is merged: put on top of the branch, verified there, and the branch moved
//! on to exactly that; again where somebody else moved it meanwhile.

use super::{
    ending::fault,
    execution::Execution,
    fault_point::Point,
    finish::{Step, check, go_on},
    handover::{CODE, Committed, Site, blocking, together},
    surroundings::Surroundings,
};
use crate::{
    protocol::supervise::ReportBody,
    sandbox::{DeliverError, Git, MergeRequest, MovedOn, Rebased, merged, move_on, rebase, settle},
    vocabulary::{Delivery, Fault, Finish},
};

/// How often the branch may be moved by somebody else while the work is put on top of it.
const TRIES: u32 = 5;

/// Merges `work` into the branch `into`.
pub(super) async fn merge(surroundings: &mut Surroundings<'_>, into: &str, mut work: Committed) -> Step {
    match try_to_merge(surroundings, into, &mut work).await {
        Ok(finish) => Step::Done(finish, Some(work)),
        Err(Stopped::Early(step)) => step,
        Err(Stopped::Fault(fault)) => Step::Done(Finish::Failed { fault }, Some(work)),
    }
}

/// Why the work is not merged.
enum Stopped {
    /// The verification decided that.
    Early(Step),
    /// It could not be done.
    Fault(Fault),
}

impl From<Fault> for Stopped {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

async fn try_to_merge(
    surroundings: &mut Surroundings<'_>,
    into: &str,
    work: &mut Committed,
) -> Result<Finish, Stopped> {
    let execution = surroundings.execution;
    let mut verified = None;
    for _ in 0..TRIES {
        match at(execution, work, into, rebase).await? {
            Rebased::Nothing => return Ok(delivered(None, work)),
            Rebased::Merged => {
                return Ok(delivered(Some(at(execution, work, into, merged).await?), work));
            }
            Rebased::Conflict(conflict) => return Ok(Finish::Conflicted { conflict }),
            Rebased::Standing(base) => work.base = base,
            Rebased::Moved { base, head } => (work.base, work.head) = (base, head),
        }
        remember(execution, work).await?;
        execution.faults.pass(Point::WorkRebased);
        at(execution, work, into, settle).await?;
        if verified.as_ref() != Some(&work.head) {
            verify(surroundings, work).await.map_err(Stopped::Early)?;
            verified = Some(work.head.clone());
        }
        match at(execution, work, into, move_on).await? {
            MovedOn::Done(delivery) => return Ok(delivered(Some(delivery), work)),
            MovedOn::Overtaken => tracing::info!(into, "the branch was moved meanwhile"),
        }
    }
    let message = format!("`{into}` was moved {TRIES} times while the work was being put on top of it");
    Err(Fault::new(CODE, message).hinted("`callbox take` merges what is kept").into())
}

/// Has the command decide about the work where it stands now. The store hears of it before, since a person may cancel
/// what is verified, though not what is handed over, as this is once it was verified a first time.
async fn verify(surroundings: &mut Surroundings<'_>, work: &Committed) -> Result<(), Step> {
    if surroundings.execution.plan.verify.is_some() {
        go_on(surroundings, ReportBody::ToVerify, Some(work)).await?;
    }
    check(surroundings, Some(work)).await
}

fn delivered(delivery: Option<Delivery>, work: &Committed) -> Finish {
    Finish::Delivered { delivery, notice: together(work.notes.clone(), None) }
}

/// Whoever repeats the step after a kill goes on from there.
async fn remember(execution: &Execution, work: &Committed) -> Result<(), Fault> {
    let (site, work) = (site(execution)?, work.clone());
    blocking(execution, move || site.remember(&work).map_err(|error| fault(CODE, &error, None))).await
}

/// Does `act` about the work.
async fn at<T: Send + 'static>(
    execution: &Execution,
    work: &Committed,
    into: &str,
    act: fn(&Git, &MergeRequest<'_>) -> Result<T, DeliverError>,
) -> Result<T, Fault> {
    let (site, work, into) = (site(execution)?, work.clone(), into.to_owned());
    let act = move || {
        let git = site.git.git().map_err(|error| fault(CODE, &error, None))?;
        let request = MergeRequest {
            project: &site.project,
            sandbox: &site.sandbox,
            base: &work.base,
            head: &work.head,
            into: &into,
            task: site.task,
        };
        act(&git, &request).map_err(|error| fault(CODE, &error, error.hint()))
    };
    blocking(execution, act).await
}

fn site(execution: &Execution) -> Result<Site, Fault> {
    Site::of(execution).ok_or_else(|| Fault::new("internal", "there is no project to merge into"))
}
