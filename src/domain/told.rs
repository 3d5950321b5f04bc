//! What a person's message to the agent moves.
//!
//! The message itself is already among what is to be said. Most of the time it moves nothing: whatever
//! comes next carries it. It is refused where nothing is to come, since it would wait there unheard.

use super::{
    BlockedOn, Decision, Effect, Phase, Refusal, Start, TaskState, TaskView, Urgency,
    decide::{change, unchanged},
};
use crate::vocabulary::StopReason;

/// A message came.
pub(super) fn told(view: &TaskView, urgency: Urgency) -> Result<Decision, Refusal> {
    match &view.state {
        TaskState::Pending | TaskState::Queued { .. } => {
            Ok(unchanged("the task is told when its next run begins"))
        }
        TaskState::Running { execution, phase } => match (phase, urgency) {
            (Phase::Unbound, _) => Ok(unchanged(
                "the task is told with its agent's next tool result, else when its next run begins",
            )),
            (Phase::Agent, Urgency::NextChance) => Ok(unchanged(
                "the task is told with its agent's next tool result, else at the end of its turn",
            )),
            (Phase::Agent, Urgency::Now) => {
                let phase = Phase::Stopping { reason: StopReason::Told };
                Ok(change(TaskState::Running { execution: *execution, phase }, vec![]))
            }
            (Phase::Verifying | Phase::Delivering | Phase::Merging, _) => Ok(unchanged(
                "the work of the task is being handed over; its agent goes on with the message then",
            )),
            (phase, _) if phase.goes_on() => Ok(unchanged(
                "the turn of the task is already being ended for a message; it goes on with both",
            )),
            _ => Err(Refusal::IsBeingEnded),
        },
        TaskState::Blocked { on: BlockedOn::Question } => {
            Ok(unchanged("the task is told together with the answers that it waits for"))
        }
        // Nothing else would come before the last subtask has ended.
        TaskState::Blocked { on: BlockedOn::Subtasks } => {
            Ok(change(TaskState::queued(Start::Continue), vec![Effect::ForgetTroubles]))
        }
        TaskState::Ready => Err(Refusal::WaitsForReview),
        TaskState::Keeping { .. } => Err(Refusal::BeingKept),
        TaskState::Ended { end } => Err(Refusal::HasEnded(end.name())),
    }
}
