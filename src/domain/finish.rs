//! What becomes of a task in the step behind its agent: verification and delivery.
//!
//! A cancel is heard until the branch is being written, and again where the command has to be run once more; otherwise
//! the step goes through.

use super::{
    Decision, Effect, End, Outcome, Phase, Refusal, Start, TaskState, TaskView,
    decide::{REPEATED, cancelled_run, change, end_badly, unchanged},
};
use crate::vocabulary::{Fault, StopReason};

/// A step whose task was being cancelled ends so; where the agent is still at work, whatever its turn is being ended
/// for, there is no step.
fn cancelled_unless_at_work(view: &TaskView, phase: Phase, refusal: Refusal) -> Result<Decision, Refusal> {
    match phase {
        Phase::Stopping { reason: StopReason::Cancelled }
        | Phase::Killing { reason: StopReason::Cancelled } => Ok(cancelled_run(view)),
        Phase::Agent
        | Phase::Unbound
        | Phase::Stopping { .. }
        | Phase::Killing { .. }
        | Phase::Verifying
        | Phase::Delivering
        | Phase::Merging => Err(refusal),
    }
}

/// The command is to be run, perhaps once more: the step goes back to where a cancel is heard.
pub(super) fn to_verify(view: &TaskView, phase: Phase) -> Result<Decision, Refusal> {
    match (phase, view.state.execution()) {
        (Phase::Verifying, _) => Ok(unchanged("the work is being verified already")),
        // A person has accepted it, and their word stands.
        (Phase::Merging, _) => Ok(unchanged("the work is accepted and being merged")),
        (Phase::Delivering, Some(execution)) => {
            Ok(change(TaskState::Running { execution, phase: Phase::Verifying }, vec![]))
        }
        (phase, _) => cancelled_unless_at_work(view, phase, Refusal::NotDelivering),
    }
}

/// The command found nothing wrong.
pub(super) fn verified(view: &TaskView, phase: Phase) -> Result<Decision, Refusal> {
    match (phase, view.state.execution()) {
        (Phase::Verifying, Some(execution)) => {
            Ok(change(TaskState::Running { execution, phase: Phase::Delivering }, vec![]))
        }
        // Work that was put on top of another commit is verified there again.
        (Phase::Delivering | Phase::Merging, _) => Ok(unchanged("the work is being handed over already")),
        (phase, _) => cancelled_unless_at_work(view, phase, Refusal::NotVerifying),
    }
}

/// The command found something. What a person said meanwhile is not dropped: the agent goes on then too.
pub(super) fn not_verified(view: &TaskView, phase: Phase, fault: &Fault) -> Result<Decision, Refusal> {
    match phase {
        Phase::Verifying | Phase::Delivering | Phase::Merging => {
            Ok(mend(view, fault, Effect::SayVerification, view.verify_tries.unwrap_or(0)))
        }
        phase => cancelled_unless_at_work(view, phase, Refusal::NotVerifying),
    }
}

/// The work does not go together with its branch. That is mended like what a command finds.
pub(super) fn conflicted(view: &TaskView, phase: Phase, fault: &Fault) -> Result<Decision, Refusal> {
    match phase {
        Phase::Verifying | Phase::Delivering | Phase::Merging => {
            Ok(mend(view, fault, Effect::SayConflict, view.conflict_tries))
        }
        phase => cancelled_unless_at_work(view, phase, Refusal::NotDelivering),
    }
}

/// The agent goes on with what was found, where it has tries left or something else is unsaid.
fn mend(view: &TaskView, fault: &Fault, say: Effect, tries: u32) -> Decision {
    let mut effects = vec![Effect::EndExecution(Outcome::Failed), say];
    if view.mendings < tries || view.unsaid > 0 {
        effects.push(Effect::CountMending);
        return change(TaskState::queued(Start::Continue), effects);
    }
    end_badly(view, End::Failed { fault: fault.clone() }, effects)
}

/// The step was ended as the store wanted. Where the store no longer wants it, it is repeated.
pub(super) fn stopped(view: &TaskView, phase: Phase) -> Result<Decision, Refusal> {
    match phase {
        Phase::Verifying => Ok(unchanged(REPEATED)),
        Phase::Delivering | Phase::Merging => Err(Refusal::NotVerifying),
        phase => cancelled_unless_at_work(view, phase, Refusal::NotVerifying),
    }
}

/// The step could not be done. Work that was to be merged stands on its branch all the same, and its person says what
/// becomes of it.
pub(super) fn failed(view: &TaskView, phase: Phase, fault: &Fault) -> Result<Decision, Refusal> {
    match phase {
        Phase::Merging => Ok(change(TaskState::Ready, vec![Effect::EndExecution(Outcome::Succeeded)])),
        Phase::Verifying | Phase::Delivering => {
            let end = End::Failed { fault: fault.clone() };
            Ok(end_badly(view, end, vec![Effect::EndExecution(Outcome::Failed)]))
        }
        phase => cancelled_unless_at_work(view, phase, Refusal::NotDelivering),
    }
}

/// What was said to the agent while its work was being delivered is not dropped: it goes on.
pub(super) fn delivered(view: &TaskView, phase: Phase) -> Decision {
    let effects = vec![Effect::EndExecution(Outcome::Succeeded), Effect::ForgetTroubles];
    if view.unsaid > 0 {
        return change(TaskState::queued(Start::Continue), effects);
    }
    let state = if view.review && phase != Phase::Merging {
        TaskState::Ready
    } else {
        TaskState::Ended { end: End::Completed }
    };
    change(state, effects)
}

/// A person accepts what was delivered. Where it is to be merged, that is done first, once more as a step behind the
/// last execution.
pub(super) fn accepted(view: &TaskView) -> Decision {
    match view.last_execution.filter(|_| view.unmerged) {
        Some(execution) => {
            let state = TaskState::Running { execution, phase: Phase::Merging };
            change(state, vec![Effect::BeginMerging])
        }
        None => change(TaskState::Ended { end: End::Completed }, vec![]),
    }
}
