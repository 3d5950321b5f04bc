//! The one place where a task's state changes.

use super::{
    BlockedOn, End, Outcome, Phase, Refusal, Start, TaskEvent, TaskState, TaskView, Wait, finish, run_end,
    told,
};
use crate::{
    ids::ExecutionNumber,
    vocabulary::{AgentEnd, Ending, StopReason, SummaryOutcome},
};

/// What follows from an event.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// The task goes to `state`, and all `effects` are recorded in the same transaction.
    Change {
        /// The new state.
        state: TaskState,
        /// What else becomes true.
        effects: Vec<Effect>,
    },
    /// Nothing changes, and that is as asked: the event says what is already so.
    Unchanged {
        /// Why nothing changes, as a sentence.
        reason: &'static str,
    },
}

/// What becomes true together with a new state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The execution at hand has ended.
    EndExecution(Outcome),
    /// The execution at hand, or the last one, is being verified or delivered.
    BeginDelivery,
    /// The work of the last execution is being merged.
    BeginMerging,
    /// What the last execution left is being kept. Its outcome stands.
    BeginKeeping,
    /// It is kept, or it is known why not.
    EndKeeping,
    /// The last execution is given back: it never ran.
    DropExecution,
    /// A new execution begins.
    NewExecution(Start),
    /// The agent is to be reminded of its summary.
    Remind,
    /// What the `verify` command found is to be said to the agent.
    SayVerification,
    /// What is in conflict is to be said to the agent.
    SayConflict,
    /// One more time that the agent is to mend what was found.
    CountMending,
    /// Open questions are withdrawn: nobody waits for an answer any more.
    WithdrawQuestions,
    /// Subtasks that have not ended are cancelled.
    CancelSubtasks,
    /// One more failed attempt.
    CountFailure,
    /// One more loss without an agent event.
    CountLoss,
    /// One more refusal for now.
    CountRateLimit,
    /// Failures, losses and refusals start over.
    ForgetTroubles,
    /// Losses and refusals in a row are over.
    EndStreaks,
}

/// Why a step behind an agent that is interrupted changes nothing.
pub(super) const REPEATED: &str = "the finish step is repeated";

/// What happens to the task of `view` when `event` arrives.
pub fn decide(view: &TaskView, event: &TaskEvent) -> Result<Decision, Refusal> {
    match event {
        TaskEvent::Start => start(view),
        TaskEvent::Claim { .. } | TaskEvent::Opened { .. } | TaskEvent::Retry { .. }
            if view.over_budget.is_some() =>
        {
            Err(Refusal::OverBudget)
        }
        TaskEvent::Claim { execution } => begin(view, *execution, Phase::Agent),
        TaskEvent::Opened { execution } => begin(view, *execution, Phase::Unbound),
        TaskEvent::Closed { by, reported } => match view.state {
            TaskState::Running { phase: Phase::Unbound, .. } => Ok(run_end::closed(view, *by, *reported)),
            ref other => Err(Refusal::NotUnbound(other.name())),
        },
        TaskEvent::DependencyFailed { dependency, state } => match view.state {
            TaskState::Queued { .. } => {
                let fault = super::state::dependency_fault(*dependency, state);
                Ok(end_badly(view, End::Failed { fault }, vec![]))
            }
            _ => Ok(unchanged("the task does not wait for its predecessors")),
        },
        TaskEvent::BudgetSpent => Ok(budget_spent(view)),
        TaskEvent::DaySpent => Ok(day_spent(view)),
        TaskEvent::AgentEnded { ending, reported } => match at_work(view)? {
            Phase::Verifying | Phase::Delivering | Phase::Merging => Err(Refusal::AlreadyDelivering),
            Phase::Unbound => Err(Refusal::IsUnbound),
            // A supervisor sees how its agent ends; whatever it reports, it closes nothing.
            _ if matches!(ending.end, AgentEnd::Closed { .. }) => Err(Refusal::NotUnbound(view.state.name())),
            phase => Ok(run_end::agent_ended(view, phase, ending, *reported)),
        },
        TaskEvent::Lost { .. } | TaskEvent::MachineRestarted | TaskEvent::NeverStarted
            if matches!(view.state, TaskState::Keeping { .. }) =>
        {
            Ok(unchanged(REPEATED))
        }
        TaskEvent::Lost { .. } | TaskEvent::MachineRestarted | TaskEvent::NeverStarted
            if matches!(view.state, TaskState::Running { phase: Phase::Unbound, .. }) =>
        {
            Ok(unchanged("no supervisor was ever with the run"))
        }
        TaskEvent::NeverStarted => never_started(view),
        TaskEvent::Lost { .. } | TaskEvent::MachineRestarted => match (at_work(view)?, event) {
            (Phase::Verifying | Phase::Delivering | Phase::Merging, _) => Ok(unchanged(REPEATED)),
            (phase, TaskEvent::Lost { turn_taken }) => Ok(run_end::lost(view, phase, *turn_taken)),
            (phase, _) => Ok(run_end::machine_restarted(view, phase)),
        },
        TaskEvent::Kept => match &view.state {
            TaskState::Keeping { end, .. } => {
                Ok(change(TaskState::Ended { end: end.clone() }, vec![Effect::EndKeeping]))
            }
            _ => Err(Refusal::NotDelivering),
        },
        TaskEvent::Delivered => match at_work(view)? {
            phase @ (Phase::Delivering | Phase::Merging) => Ok(finish::delivered(view, phase)),
            _ => Err(Refusal::NotDelivering),
        },
        TaskEvent::ToVerify => finish::to_verify(view, at_work(view)?),
        TaskEvent::Verified => finish::verified(view, at_work(view)?),
        TaskEvent::NotVerified { fault } => finish::not_verified(view, at_work(view)?, fault),
        TaskEvent::Conflicted { fault } => finish::conflicted(view, at_work(view)?, fault),
        TaskEvent::FinishStopped => finish::stopped(view, at_work(view)?),
        TaskEvent::DeliveryFailed { fault } => finish::failed(view, at_work(view)?, fault),
        TaskEvent::Answered => Ok(answered(view)),
        TaskEvent::Dismissed { ending, reported } => Ok(dismissed(view, ending.as_deref(), *reported)),
        TaskEvent::Told { urgency } => told::told(view, *urgency),
        TaskEvent::SubtaskEnded => Ok(subtask_ended(view)),
        TaskEvent::Cancel => cancel(view, |reason| Phase::Stopping { reason }),
        TaskEvent::Kill => cancel(view, |reason| Phase::Killing { reason }),
        TaskEvent::Resume => resume(view),
        TaskEvent::Retry { start } => match &view.state {
            TaskState::Ended { .. } => Ok(change(TaskState::queued(*start), vec![Effect::ForgetTroubles])),
            TaskState::Keeping { .. } => Err(Refusal::BeingKept),
            other => Err(Refusal::NotEnded(other.name())),
        },
        TaskEvent::Accept => match &view.state {
            TaskState::Ready => Ok(finish::accepted(view)),
            TaskState::Running { phase: Phase::Merging, .. } => {
                Ok(unchanged("the work of the task is already accepted and is being merged"))
            }
            // Nobody looks at what an agent did by hand before its task is completed.
            TaskState::Ended { end: End::Completed } if view.review && !view.by_hand => {
                Ok(unchanged("the work of the task is already accepted"))
            }
            other => Err(Refusal::NotReady(other.name())),
        },
        TaskEvent::Reject => match &view.state {
            TaskState::Ready => Ok(change(TaskState::queued(Start::Continue), vec![Effect::ForgetTroubles])),
            other => Err(Refusal::NotReady(other.name())),
        },
    }
}

pub(super) fn change(state: TaskState, effects: Vec<Effect>) -> Decision {
    Decision::Change { state, effects }
}

pub(super) fn unchanged(reason: &'static str) -> Decision {
    Decision::Unchanged { reason }
}

fn at_work(view: &TaskView) -> Result<Phase, Refusal> {
    match view.state {
        TaskState::Running { phase, .. } => Ok(phase),
        TaskState::Keeping { .. } => Err(Refusal::BeingKept),
        ref other => Err(Refusal::NotRunning(other.name())),
    }
}

fn begin(view: &TaskView, execution: ExecutionNumber, phase: Phase) -> Result<Decision, Refusal> {
    match view.state {
        TaskState::Queued { start, .. } => {
            Ok(change(TaskState::Running { execution, phase }, vec![Effect::NewExecution(start)]))
        }
        ref other => Err(Refusal::NotQueued(other.name())),
    }
}

fn start(view: &TaskView) -> Result<Decision, Refusal> {
    match &view.state {
        TaskState::Pending => Ok(change(TaskState::queued(Start::Fresh), vec![])),
        TaskState::Queued { .. } => Ok(unchanged("the task is already queued")),
        other => Err(Refusal::NotPending(other.name())),
    }
}

/// Whatever runs is told to end, and whatever waits for its turn will get none. The step behind an agent
/// costs nothing and goes on, and so does what a person is to say or decide.
fn budget_spent(view: &TaskView) -> Decision {
    match (&view.over_budget, &view.state) {
        (Some(fault), TaskState::Queued { .. }) => {
            end_badly(view, End::BudgetExceeded { fault: fault.clone() }, vec![])
        }
        (Some(_), TaskState::Running { execution, phase: Phase::Agent }) => {
            let phase = Phase::Stopping { reason: StopReason::Budget };
            change(TaskState::Running { execution: *execution, phase }, vec![])
        }
        _ => unchanged("nothing of the task has to end for its budget"),
    }
}

/// What runs is told to end, and goes on in its conversation on another day; the scheduler holds it until then.
fn day_spent(view: &TaskView) -> Decision {
    match view.state {
        TaskState::Running { execution, phase: Phase::Agent } => {
            let phase = Phase::Stopping { reason: StopReason::Budget };
            change(TaskState::Running { execution, phase }, vec![])
        }
        _ => unchanged("nothing of the task costs anything now"),
    }
}

/// A cancel that came meanwhile wins: there is no process to wait for.
fn never_started(view: &TaskView) -> Result<Decision, Refusal> {
    match at_work(view)? {
        // Its turn is refused when it comes, where the budget is still used up.
        Phase::Stopping { reason: StopReason::Budget } | Phase::Killing { reason: StopReason::Budget } => {
            Ok(change(TaskState::queued(Start::Continue), vec![Effect::DropExecution]))
        }
        Phase::Verifying | Phase::Delivering | Phase::Merging => Ok(unchanged(REPEATED)),
        phase if phase.goes_on() => {
            Ok(change(TaskState::queued(Start::Continue), vec![Effect::DropExecution]))
        }
        _ => Ok(cancelled_run(view)),
    }
}

fn answered(view: &TaskView) -> Decision {
    match view.state {
        TaskState::Blocked { on: BlockedOn::Question } if view.open_questions == 0 => {
            change(TaskState::queued(Start::Continue), vec![Effect::ForgetTroubles])
        }
        TaskState::Blocked { on: BlockedOn::Question } => unchanged("other questions are still open"),
        TaskState::Blocked { on: BlockedOn::Subtasks } => {
            change(TaskState::queued(Start::Continue), vec![Effect::ForgetTroubles])
        }
        TaskState::Running { .. } if view.by_hand => unchanged(
            "the agent of the task is given the answer with its next tool result, else when its next run begins",
        ),
        _ => unchanged("the answer is kept for the next run"),
    }
}

/// The end that waited for the last question follows without another run.
fn dismissed(view: &TaskView, ending: Option<&Ending>, reported: Option<SummaryOutcome>) -> Decision {
    match view.state {
        TaskState::Blocked { on: BlockedOn::Question } if view.open_questions == 0 => {
            run_end::questions_over(view, ending, reported)
        }
        TaskState::Blocked { on: BlockedOn::Question } => unchanged("other questions are still open"),
        _ => unchanged("the question is withdrawn; the task did not wait for it"),
    }
}

fn subtask_ended(view: &TaskView) -> Decision {
    match view.state {
        TaskState::Blocked { on: BlockedOn::Subtasks } if view.open_subtasks == 0 => {
            run_end::subtasks_over(view)
        }
        _ => unchanged("other subtasks are still open, or the report is kept for the next run"),
    }
}

fn cancel(view: &TaskView, phase_for: fn(StopReason) -> Phase) -> Result<Decision, Refusal> {
    match &view.state {
        TaskState::Running { phase: Phase::Delivering | Phase::Merging, .. } => Err(Refusal::BeingDelivered),
        // There is nobody who would end the agent: it loses its token.
        TaskState::Running { phase: Phase::Unbound, .. } => Ok(cancelled_run(view)),
        TaskState::Running { execution, phase } => {
            let wanted = phase_for(StopReason::Cancelled);
            let no_softer = matches!(phase, Phase::Killing { reason: StopReason::Cancelled });
            if *phase == wanted || no_softer {
                return Ok(unchanged("the task is already being cancelled"));
            }
            let state = TaskState::Running { execution: *execution, phase: wanted };
            Ok(change(state, vec![Effect::CancelSubtasks]))
        }
        TaskState::Ended { end: End::Cancelled } => Ok(unchanged("the task is already cancelled")),
        TaskState::Keeping { end: End::Cancelled, .. } => {
            Ok(unchanged("the task is already being cancelled"))
        }
        TaskState::Keeping { .. } | TaskState::Ended { .. } => Ok(unchanged("the task has already ended")),
        TaskState::Pending | TaskState::Queued { .. } | TaskState::Blocked { .. } | TaskState::Ready => {
            let effects = vec![Effect::WithdrawQuestions, Effect::CancelSubtasks];
            Ok(end_badly(view, End::Cancelled, effects))
        }
    }
}

fn resume(view: &TaskView) -> Result<Decision, Refusal> {
    match &view.state {
        TaskState::Ended { .. } | TaskState::Queued { .. } if view.over_budget.is_some() => {
            Err(Refusal::OverBudget)
        }
        TaskState::Ended { .. } => {
            Ok(change(TaskState::queued(Start::Continue), vec![Effect::ForgetTroubles]))
        }
        TaskState::Queued { wait: Wait::Turn, .. } => Ok(unchanged("the task is already queued")),
        TaskState::Queued { start, .. } => {
            Ok(change(TaskState::queued(*start), vec![Effect::ForgetTroubles]))
        }
        TaskState::Pending => Err(Refusal::IsPending),
        TaskState::Running { .. } => Err(Refusal::IsRunning),
        TaskState::Keeping { .. } => Err(Refusal::BeingKept),
        TaskState::Blocked { on: BlockedOn::Question } => Err(Refusal::WaitsForAnswer),
        TaskState::Blocked { on: BlockedOn::Subtasks } => Err(Refusal::WaitsForSubtasks),
        TaskState::Ready => Err(Refusal::WaitsForReview),
    }
}

/// A cancel that had come before decides: what was found meanwhile no longer matters.
pub(super) fn cancelled_run(view: &TaskView) -> Decision {
    let effects =
        vec![Effect::EndExecution(Outcome::Cancelled), Effect::WithdrawQuestions, Effect::CancelSubtasks];
    end_badly(view, End::Cancelled, effects)
}

/// The one way to an end that is no good one. Work that stands in a sandbox alone is kept first: that
/// changes nothing about the end, however it goes.
pub(super) fn end_badly(view: &TaskView, end: End, mut effects: Vec<Effect>) -> Decision {
    match (view.unkept, view.state.execution().or(view.last_execution)) {
        (true, Some(execution)) => {
            effects.push(Effect::BeginKeeping);
            change(TaskState::Keeping { execution, end }, effects)
        }
        _ => change(TaskState::Ended { end }, effects),
    }
}
