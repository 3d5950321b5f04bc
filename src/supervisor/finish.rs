//! The step behind the agent: left-over changes are committed, the command that decides about the work
//! is run, the branch is written. It can be repeated after any kill.

use super::{
    fault_point::Point,
    handover::{commit, hand_over},
    surroundings::Surroundings,
    verify::{Checked, verify},
    watch::Cause,
};
use crate::{
    protocol::supervise::{ReportBody, Verdict},
    vocabulary::Finish,
};

/// Finishes the run and reports what came of it. Ended in the middle without a word of the store's, it
/// reports nothing, and the step is repeated.
pub(super) async fn finish(surroundings: &mut Surroundings<'_>) {
    if let Some(finish) = step(surroundings).await {
        tracing::info!(?finish, "the work is handed over, as far as it can be");
        surroundings.execution.faults.pass(Point::DeliveredBeforeReport);
        surroundings.report(ReportBody::Ended { finish }).await;
    }
}

/// What the end is; `None` where it is said already or not yet known.
async fn step(surroundings: &mut Surroundings<'_>) -> Option<Finish> {
    let execution = surroundings.execution;
    let work = match commit(execution).await {
        Ok(work) => work,
        Err(fault) => return Some(Finish::Failed { fault }),
    };
    let Some(check) = &execution.plan.verify else { return Some(hand_over(execution, work).await) };
    match verify(surroundings, check).await {
        Ok(Checked::Ran(verified)) => {
            tracing::info!(exit = ?verified.exit, "the work is verified");
            execution.faults.pass(Point::VerifiedBeforeReport);
            let verdict = surroundings.report(ReportBody::Verified { verified }).await;
            if verdict == Some(Verdict::Deliver) { Some(hand_over(execution, work).await) } else { None }
        }
        Ok(Checked::Ended(Cause::Stopped(_))) => Some(Finish::Stopped),
        Ok(Checked::Ended(cause)) => {
            tracing::warn!(?cause, "the work is not verified");
            None
        }
        Err(fault) => Some(Finish::Failed { fault }),
    }
}
