//! Carries out what the domain decides: state, event row and the records of its effects in one
//! transaction, and whatever follows from the new state for the tasks around it.

use super::{failure::Failure, news::News, view::view_of};
use crate::{
    database::{
        Read, Write,
        rows::{dependency, execution, message, question, task},
    },
    domain::{
        Decision, Effect, End, Outcome, Phase, Refusal, TaskEvent, TaskState, Unsaid, decide, limit_reached,
    },
    ids::{ExecutionNumber, TaskNumber, Timestamp},
    protocol::error::{ApiError, ErrorCode},
    vocabulary::{AgentEnd, ClosedBy, Fault, StopReason},
};

/// Under which circumstances something happens.
#[derive(Debug, Clone)]
pub(super) struct Occasion {
    /// When.
    pub(super) now: Timestamp,
    /// Which person's peer asked for it, where one did.
    pub(super) actor: Option<String>,
}

impl Occasion {
    /// By callbox itself, now.
    pub(super) fn own() -> Self {
        Self { now: Timestamp::now(), actor: None }
    }
}

/// What came of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Applied {
    /// The task's state now.
    pub(super) state: TaskState,
    /// Why nothing changed, where nothing did.
    pub(super) unchanged: Option<String>,
}

/// What the core says of "the task", said of the task `number`.
pub(super) fn named(number: TaskNumber, words: &str) -> String {
    words.replacen("the task", &number.to_string(), 1)
}

/// Lets `event` happen to the task `number`.
pub(super) fn apply(
    write: &mut Write<'_>,
    number: TaskNumber,
    event: &TaskEvent,
    occasion: &Occasion,
) -> Result<Applied, Failure> {
    let mut row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
    let view = view_of(write, &row, occasion.now)?;
    let refused = |refusal: Refusal| {
        let error = ApiError::new(ErrorCode::Refused, named(number, &refusal.to_string()));
        Failure::Refused(ApiError { hint: refusal.advice(number), ..error })
    };
    let (state, effects) = match decide(&view, event).map_err(refused)? {
        Decision::Unchanged { reason } => {
            return Ok(Applied { state: row.state, unchanged: Some(named(number, reason)) });
        }
        Decision::Change { state, effects } => (state, effects),
    };
    let before = std::mem::replace(&mut row.state, state);
    let execution = before.execution().or(row.state.execution()).or(view.last_execution);
    for effect in &effects {
        count(&mut row, *effect);
    }
    row.updated_at = occasion.now;
    task::save(write, &row)?;
    for effect in &effects {
        record(write, &row, execution, *effect, event, occasion)?;
    }
    let dropped = effects.contains(&Effect::DropExecution);
    let told = (execution.filter(|_| !dropped), requeued(&row, event));
    tell(write, &row, &before, told, occasion)?;
    follow_up(write, &row, &before, occasion)?;
    Ok(Applied { state: row.state, unchanged: None })
}

fn count(row: &mut task::TaskRow, effect: Effect) {
    match effect {
        Effect::CountFailure => row.failures += 1,
        Effect::CountLoss => row.losses += 1,
        Effect::CountRateLimit => row.rate_limits += 1,
        Effect::CountMending => row.mendings += 1,
        Effect::ForgetTroubles => {
            (row.failures, row.losses, row.rate_limits, row.mendings) = (0, 0, 0, 0);
        }
        Effect::EndStreaks => (row.losses, row.rate_limits) = (0, 0),
        _ => {}
    }
}

fn record(
    write: &mut Write<'_>,
    row: &task::TaskRow,
    execution: Option<ExecutionNumber>,
    effect: Effect,
    event: &TaskEvent,
    occasion: &Occasion,
) -> Result<(), Failure> {
    match (effect, execution) {
        (Effect::EndExecution(outcome), Some(number)) => {
            end_execution(write, number, outcome, fault_of(row, event), occasion.now)
        }
        (Effect::BeginDelivery, Some(number)) => {
            let mut run = known(write, number)?;
            run.state = execution::ExecutionState::Delivering;
            (run.outcome, run.ended_at) = (None, None);
            Ok(execution::save(write, &run)?)
        }
        (Effect::BeginMerging, Some(number)) => {
            let mut run = execution::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
            run.state = execution::ExecutionState::Delivering;
            (run.outcome, run.details.finishes) = (None, 0);
            Ok(execution::save(write, &run)?)
        }
        (Effect::BeginKeeping, Some(number)) => {
            let mut run = known(write, number)?;
            run.state = execution::ExecutionState::Delivering;
            run.details.finishes = 0;
            Ok(execution::save(write, &run)?)
        }
        (Effect::EndKeeping, Some(number)) => {
            let mut run = known(write, number)?;
            run.state = execution::ExecutionState::Ended;
            Ok(execution::save(write, &run)?)
        }
        (Effect::DropExecution, Some(number)) => Ok(execution::remove(write, number)?),
        (Effect::NewExecution(_), Some(number)) => Ok(message::carry(write, row.number, number)?),
        (Effect::SayConflict, Some(number)) => say_conflict(write, row, number, occasion),
        (Effect::SayVerification, Some(number)) => say_verification(write, row, number, occasion),
        (Effect::Remind, _) => say(write, row, &Unsaid::Reminder, occasion),
        (Effect::WithdrawQuestions, _) => Ok(question::withdraw(write, row.number)?),
        (Effect::CancelSubtasks, _) => cancel_subtasks(write, row.number, occasion),
        _ => Ok(()),
    }
}

fn say_verification(
    write: &mut Write<'_>,
    row: &task::TaskRow,
    number: ExecutionNumber,
    occasion: &Occasion,
) -> Result<(), Failure> {
    let Some(verified) = known(write, number)?.details.verified else { return Ok(()) };
    let Some(ended) = verified.how_it_failed() else { return Ok(()) };
    let unsaid = Unsaid::Verification { command: verified.command, ended, tail: verified.tail };
    say(write, row, &unsaid, occasion)
}

fn say_conflict(
    write: &mut Write<'_>,
    row: &task::TaskRow,
    number: ExecutionNumber,
    occasion: &Occasion,
) -> Result<(), Failure> {
    match known(write, number)?.details.conflict {
        Some(conflict) => say(write, row, &Unsaid::Conflict(conflict), occasion),
        None => Ok(()),
    }
}

/// Has callbox itself say `unsaid` to the agent of the task.
fn say(
    write: &mut Write<'_>,
    row: &task::TaskRow,
    unsaid: &Unsaid,
    occasion: &Occasion,
) -> Result<(), Failure> {
    Ok(message::insert(write, row.number, message::Origin::Callbox, unsaid, occasion.now)?)
}

fn known(write: &Write<'_>, number: ExecutionNumber) -> Result<execution::ExecutionRow, Failure> {
    execution::get(write, number)?.ok_or_else(|| Failure::unknown(number))
}

/// Why a run did not end well, also where the task itself goes on.
fn fault_of(row: &task::TaskRow, event: &TaskEvent) -> Option<Fault> {
    if let Some(fault) = row.state.decided_end().and_then(End::fault) {
        return Some(fault.clone());
    }
    let ending = match event {
        TaskEvent::AgentEnded { ending, .. } | TaskEvent::Dismissed { ending: Some(ending), .. } => ending,
        TaskEvent::NotVerified { fault } | TaskEvent::Conflicted { fault } => return Some(fault.clone()),
        // Accepted work that could not be merged waits for its review as before.
        TaskEvent::DeliveryFailed { fault } if row.state == TaskState::Ready => return Some(fault.clone()),
        TaskEvent::Closed { by, .. } => return limit_reached(&AgentEnd::Closed { by: *by }),
        _ => return None,
    };
    match &ending.end {
        AgentEnd::Failed { fault } | AgentEnd::Unavailable { fault } => Some(fault.clone()),
        AgentEnd::RateLimited { message, .. } => Some(Fault::new("rate_limited", message)),
        AgentEnd::Auth { message } => Some(Fault::new("auth", message)),
        end @ (AgentEnd::TimedOut { .. }
        | AgentEnd::Idle { .. }
        | AgentEnd::Closed { by: ClosedBy::Time }) => limit_reached(end),
        AgentEnd::Spent { message } => Some(Fault::new("budget", message)),
        AgentEnd::Finished
        | AgentEnd::Stopped { .. }
        | AgentEnd::Interrupted
        | AgentEnd::Closed { by: ClosedBy::Person } => None,
    }
}

/// Why a run did not bring its task further, for whoever sees the task go back to the queue.
fn requeued(row: &task::TaskRow, event: &TaskEvent) -> Option<String> {
    match event {
        TaskEvent::Lost { .. } => {
            Some("the run was lost, its supervisor having gone without a word".to_owned())
        }
        TaskEvent::MachineRestarted => Some("the machine was started anew during the run".to_owned()),
        TaskEvent::NeverStarted => Some("the run was never started".to_owned()),
        TaskEvent::AgentEnded { ending, .. } if ending.end == AgentEnd::Interrupted => {
            Some("the run was interrupted".to_owned())
        }
        TaskEvent::AgentEnded { ending, .. }
            if ending.end == (AgentEnd::Stopped { reason: StopReason::Told }) =>
        {
            Some("its turn was ended for a message".to_owned())
        }
        TaskEvent::AgentEnded { ending, .. }
            if ending.end == (AgentEnd::Stopped { reason: StopReason::Budget }) =>
        {
            Some("its turn was ended because the money for this day is spent".to_owned())
        }
        TaskEvent::Closed { .. } => {
            Some("its run was closed before its agent had heard everything".to_owned())
        }
        TaskEvent::AgentEnded { .. } => fault_of(row, event).map(|fault| fault.message),
        _ => None,
    }
}

fn end_execution(
    write: &mut Write<'_>,
    number: ExecutionNumber,
    outcome: Outcome,
    fault: Option<Fault>,
    now: Timestamp,
) -> Result<(), Failure> {
    let mut run = known(write, number)?;
    run.state = execution::ExecutionState::Ended;
    run.outcome = Some(outcome);
    // An execution that had ended and is judged anew ended when it did.
    run.ended_at.get_or_insert(now);
    run.details.activity = None;
    run.details.fault = fault;
    Ok(execution::save(write, &run)?)
}

/// A subtask whose work is being delivered can't be cancelled any more; it ends by itself.
fn cancel_subtasks(write: &mut Write<'_>, parent: TaskNumber, occasion: &Occasion) -> Result<(), Failure> {
    for child in task::children(write, parent)? {
        let delivering = matches!(child.state, TaskState::Running { phase: Phase::Delivering, .. });
        if !child.state.is_end() && !delivering {
            apply(write, child.number, &TaskEvent::Cancel, occasion)?;
        }
    }
    Ok(())
}

fn tell(
    write: &mut Write<'_>,
    row: &task::TaskRow,
    before: &TaskState,
    (execution, requeued): (Option<ExecutionNumber>, Option<String>),
    occasion: &Occasion,
) -> Result<(), Failure> {
    if before == &row.state {
        return Ok(());
    }
    let text = match (&row.state, row.state.fault()) {
        (state, Some(fault)) => format!("{}: {}", state.name(), fault.message),
        (TaskState::Running { phase: Phase::Verifying, .. }, None) => "being verified".to_owned(),
        (TaskState::Running { phase: Phase::Delivering, .. }, None) => "being delivered".to_owned(),
        (TaskState::Running { phase: Phase::Merging, .. }, None) => "accepted and being merged".to_owned(),
        (TaskState::Keeping { .. }, None) => "what the agent left is being kept".to_owned(),
        (TaskState::Running { phase: Phase::Stopping { reason: StopReason::Told }, .. }, None) => {
            "its turn is being ended for a message".to_owned()
        }
        (TaskState::Running { phase: Phase::Stopping { .. } | Phase::Killing { .. }, .. }, None) => {
            "being ended".to_owned()
        }
        (state @ TaskState::Queued { .. }, None) => {
            requeued.map_or_else(|| state.name().to_owned(), |why| format!("{} again: {why}", state.name()))
        }
        (state, None) => state.name().to_owned(),
    };
    News::of(row.number, execution, "state").tell(write, &text, occasion)
}

/// What the new state means for the tasks around it. It hangs on the state, so that no way into the
/// state can skip it.
fn follow_up(
    write: &mut Write<'_>,
    row: &task::TaskRow,
    before: &TaskState,
    occasion: &Occasion,
) -> Result<(), Failure> {
    if matches!(row.state, TaskState::Queued { .. }) {
        return fail_without_predecessors(write, row, occasion);
    }
    if !row.state.is_end() || before.is_end() {
        return Ok(());
    }
    if !row.state.is_completed() {
        for dependent in dependency::dependents(write, row.number)? {
            let event = TaskEvent::DependencyFailed { dependency: row.number, state: row.state.name() };
            apply(write, dependent, &event, occasion)?;
        }
    }
    match row.parent {
        Some(parent) => tell_parent(write, row, parent, occasion),
        None => Ok(()),
    }
}

/// Fails a queued task one of whose predecessors has already ended other than completed.
pub(super) fn fail_without_predecessors(
    write: &mut Write<'_>,
    row: &task::TaskRow,
    occasion: &Occasion,
) -> Result<(), Failure> {
    if let Some(other) = failed_predecessor(write, row)? {
        let event = TaskEvent::DependencyFailed { dependency: other.number, state: other.state.name() };
        apply(write, row.number, &event, occasion)?;
    }
    Ok(())
}

/// The first predecessor of `row` that has ended other than completed.
pub(super) fn failed_predecessor(
    read: &Read<'_>,
    row: &task::TaskRow,
) -> Result<Option<task::TaskRow>, Failure> {
    for predecessor in dependency::unmet(read, row)? {
        if let Some(other) = task::get(read, predecessor)?.filter(|other| other.state.is_end()) {
            return Ok(Some(other));
        }
    }
    Ok(None)
}

fn tell_parent(
    write: &mut Write<'_>,
    row: &task::TaskRow,
    parent: TaskNumber,
    occasion: &Occasion,
) -> Result<(), Failure> {
    let parent_row = task::get(write, parent)?.ok_or_else(|| Failure::unknown(parent))?;
    if parent_row.state.is_end() {
        return Ok(());
    }
    if parent_row.spec.resume_after_subtasks {
        let last = execution::last_of(write, row.number)?;
        let report = Unsaid::Report {
            task: row.number,
            name: row.spec.name.clone(),
            state: row.state.name().to_owned(),
            summary: last.and_then(|run| run.details.summary),
            branch: execution::last_branch(write, row.number)?,
        };
        message::insert(write, parent, message::Origin::Subtask(row.number), &report, occasion.now)?;
    }
    apply(write, parent, &TaskEvent::SubtaskEnded, occasion)?;
    Ok(())
}
