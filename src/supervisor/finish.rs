//! The step behind the agent: left-over changes are committed, the command that decides about the work
//! is run, the branch is written; or what a run without a good end left is kept. It can be repeated after
//! any kill.

use super::{
    fault_point::Point,
    handover::{Committed, commit, hand_over, keep_work},
    held_command::Commanded,
    merging::merge,
    surroundings::Surroundings,
    verify::verify,
    watch::Cause,
};
use crate::{
    protocol::{
        launch::Handover,
        supervise::{ReportBody, Verdict},
    },
    vocabulary::Finish,
};

/// How far the step came.
pub(super) enum Step {
    /// This is to be reported of that work.
    Done(Finish, Option<Committed>),
    /// The store decided for an end that is no good one; the work that it decided about is to be kept.
    Keep(Option<Committed>),
    /// Ended in the middle without a word of the store's, or the end is reported already: nothing is
    /// reported, and where need be the step is repeated.
    Over,
}

/// Finishes the run and reports what came of it; keeps the work that could not be handed over.
pub(super) async fn finish(surroundings: &mut Surroundings<'_>) {
    match step(surroundings).await {
        Step::Done(finish, work) => {
            tracing::info!(?finish, "the work is handed over, as far as it can be");
            surroundings.execution.faults.pass(Point::DeliveredBeforeReport);
            if surroundings.report(ReportBody::Ended { finish }).await == Some(Verdict::KeepWork) {
                keep(surroundings, work).await;
            }
        }
        Step::Keep(work) => keep(surroundings, work).await,
        Step::Over => {}
    }
}

/// Keeps the work of a run without a good end and reports that. Where `work` is not yet known, it is what
/// stands in the sandbox.
pub(super) async fn keep(surroundings: &mut Surroundings<'_>, work: Option<Committed>) {
    let execution = surroundings.execution;
    let work = match work {
        Some(work) => Ok(Some(work)),
        None => commit(execution).await,
    };
    let finish = match work {
        Ok(work) => keep_work(execution, work).await,
        Err(fault) => Finish::Failed { fault },
    };
    tracing::info!(?finish, "what the run left is kept, as far as it can be");
    execution.faults.pass(Point::KeptBeforeReport);
    surroundings.report(ReportBody::Ended { finish }).await;
}

async fn step(surroundings: &mut Surroundings<'_>) -> Step {
    let execution = surroundings.execution;
    let work = match commit(execution).await {
        Ok(work) => work,
        Err(fault) => return Step::Done(Finish::Failed { fault }, None),
    };
    if let (Handover::Merge { into }, Some(work)) = (&execution.plan.handover, &work) {
        return merge(surroundings, into, work.clone()).await;
    }
    match check(surroundings, work.as_ref()).await {
        Ok(()) => Step::Done(hand_over(execution, work.clone()).await, work),
        Err(step) => step,
    }
}

/// Runs the command that decides about `work`, where there is one; how far the step came where it did not
/// pass.
pub(super) async fn check(surroundings: &mut Surroundings<'_>, work: Option<&Committed>) -> Result<(), Step> {
    let execution = surroundings.execution;
    let Some(check) = &execution.plan.verify else { return Ok(()) };
    match verify(surroundings, check).await {
        Ok(Commanded::Ran(verified)) => {
            tracing::info!(exit = ?verified.exit, "the work is verified");
            execution.faults.pass(Point::VerifiedBeforeReport);
            go_on(surroundings, ReportBody::Verified { verified }, work).await
        }
        Ok(Commanded::Ended(Cause::Stopped(_))) => Err(Step::Done(Finish::Stopped, work.cloned())),
        Ok(Commanded::Ended(cause)) => {
            tracing::warn!(?cause, "the work is not verified");
            Err(Step::Over)
        }
        Ok(Commanded::Outgrew(fault)) | Err(fault) => {
            Err(Step::Done(Finish::Failed { fault }, work.cloned()))
        }
    }
}

/// Reports, and hears whether the step goes on with `work`; how far it came where it does not.
pub(super) async fn go_on(
    surroundings: &mut Surroundings<'_>,
    body: ReportBody,
    work: Option<&Committed>,
) -> Result<(), Step> {
    match surroundings.report(body).await {
        Some(Verdict::Deliver) => Ok(()),
        Some(Verdict::KeepWork) => Err(Step::Keep(work.cloned())),
        Some(Verdict::Go | Verdict::Keep) | None => Err(Step::Over),
    }
}
