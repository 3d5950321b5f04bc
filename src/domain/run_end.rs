//! What becomes of a task when the agent's part of a run is over.
//!
//! The order of the questions is the contract: a cancel comes first; then a question that is open,
//! whatever the exit; then what the agent has not been told; only then how the agent ended.

use std::time::Duration;

use super::{
    BlockedOn, Decision, Effect, End, Outcome, Phase, Start, TaskState, TaskView, Wait,
    budget::spent,
    decide::{cancelled_run, change, end_badly},
    demands::{Shortfall, shortfall},
    finish,
    limit_reached::limit_reached,
};
use crate::{
    ids::Timestamp,
    vocabulary::{AgentEnd, ClosedBy, Ending, Fault, OnRateLimit, StopReason, SummaryOutcome},
};

/// The longest wait for a provider that names no time.
const LONGEST_BACKOFF: Duration = Duration::from_secs(15 * 60);

/// Losses in a row without an agent event after which a task fails.
const MAX_LOSSES: u32 = 2;

/// The agent's process tree is gone and the supervisor said how.
pub(super) fn agent_ended(
    view: &TaskView,
    phase: Phase,
    ending: &Ending,
    reported: Option<SummaryOutcome>,
) -> Decision {
    if let Some(decision) = before_the_end_matters(view, phase, Outcome::of(&ending.end)) {
        return decision;
    }
    judged(view, ending, reported)
}

/// Nobody saw the agent of an unbound run end: what it reported is all there is to go by.
pub(super) fn closed(view: &TaskView, by: ClosedBy, reported: Option<SummaryOutcome>) -> Decision {
    let ending = Ending::closed(by);
    if let Some(decision) = before_the_end_matters(view, Phase::Unbound, Outcome::of(&ending.end)) {
        return decision;
    }
    judged(view, &ending, reported)
}

/// A person started the agent, so that trying again is theirs too.
fn judged_closed(
    view: &TaskView,
    ending: &Ending,
    by: ClosedBy,
    reported: Option<SummaryOutcome>,
) -> Decision {
    let fail = |fault| end_badly(view, End::Failed { fault }, vec![Effect::EndExecution(Outcome::Failed)]);
    match (reported, by) {
        (Some(SummaryOutcome::Failed), _) => fail(reported_failure()),
        // Whatever else is known of it: nobody is with such an agent, so that nobody hands anything over.
        (Some(_), _) => finished(&TaskView { by_hand: true, ..view.clone() }, ending, reported),
        (None, ClosedBy::Person) => {
            let fault = Fault::new("no_summary", "its agent had reported nothing when its run was closed");
            fail(fault.hinted(
                "an agent reports with `report_summary`; without that nobody can say that it is done",
            ))
        }
        (None, ClosedBy::Time) => timed_out(view, &ending.end),
    }
}

/// Nothing is open and nothing unsaid: how the agent ended decides.
fn judged(view: &TaskView, ending: &Ending, reported: Option<SummaryOutcome>) -> Decision {
    match &ending.end {
        AgentEnd::Finished => finished(view, ending, reported),
        AgentEnd::Failed { fault } => failed(view, fault),
        AgentEnd::Unavailable { fault } => {
            let end = End::Failed { fault: fault.clone() };
            end_badly(view, end, vec![Effect::EndExecution(Outcome::Failed)])
        }
        AgentEnd::RateLimited { until, message } => rate_limited(view, *until, message),
        AgentEnd::Auth { .. } => change(
            TaskState::Queued { wait: Wait::Auth, start: Start::Continue },
            vec![Effect::EndExecution(Outcome::Auth)],
        ),
        AgentEnd::TimedOut { .. } | AgentEnd::Idle { .. } => timed_out(view, &ending.end),
        AgentEnd::Closed { by } => judged_closed(view, ending, *by, reported),
        AgentEnd::Spent { message } => {
            over_budget(view, view.over_budget.clone().unwrap_or_else(|| spent(message)))
        }
        // The agent was told to stop for a reason that no longer stands (the question it asked was
        // answered or dismissed, the budget was raised, the message was heard meanwhile, the cancel was never
        // recorded): it goes on.
        AgentEnd::Stopped { .. } | AgentEnd::Interrupted => match (&ending.end, &view.over_budget) {
            (AgentEnd::Stopped { reason: StopReason::Budget }, Some(fault)) => {
                over_budget(view, fault.clone())
            }
            _ => change(
                TaskState::queued(Start::Continue),
                vec![Effect::EndExecution(Outcome::Interrupted), Effect::EndStreaks],
            ),
        },
    }
}

fn timed_out(view: &TaskView, end: &AgentEnd) -> Decision {
    let fault = limit_reached(end).unwrap_or_else(|| Fault::new("timed_out", "the run took too long"));
    end_badly(view, End::TimedOut { fault }, vec![Effect::EndExecution(Outcome::TimedOut)])
}

fn over_budget(view: &TaskView, fault: Fault) -> Decision {
    end_badly(view, End::BudgetExceeded { fault }, vec![Effect::EndExecution(Outcome::BudgetExceeded)])
}

/// The supervisor is gone and nothing of its process tree is left.
pub(super) fn lost(view: &TaskView, phase: Phase, turn_taken: bool) -> Decision {
    if let Some(decision) = before_the_end_matters(view, phase, Outcome::Lost) {
        return decision;
    }
    if !turn_taken && view.losses + 1 >= MAX_LOSSES {
        let fault =
            Fault::new("lost", format!("{MAX_LOSSES} runs in a row were lost before the agent did anything"))
                .hinted("`callbox logs` shows what they left; `callbox resume` tries again");
        return end_badly(view, End::Failed { fault }, vec![Effect::EndExecution(Outcome::Lost)]);
    }
    let streak = if turn_taken { Effect::EndStreaks } else { Effect::CountLoss };
    change(TaskState::queued(Start::Continue), vec![Effect::EndExecution(Outcome::Lost), streak])
}

/// That says nothing about the task or its agent: it is counted nowhere.
pub(super) fn machine_restarted(view: &TaskView, phase: Phase) -> Decision {
    before_the_end_matters(view, phase, Outcome::Lost).unwrap_or_else(|| {
        change(TaskState::queued(Start::Continue), vec![Effect::EndExecution(Outcome::Lost)])
    })
}

/// The last question of a task that waited for answers was dismissed. Answers to others are told.
pub(super) fn questions_over(
    view: &TaskView,
    ending: Option<&Ending>,
    reported: Option<SummaryOutcome>,
) -> Decision {
    match ending {
        Some(ending) if view.unsaid == 0 => judged(view, ending, reported),
        _ => change(TaskState::queued(Start::Continue), vec![Effect::ForgetTroubles]),
    }
}

/// The last subtask of a task that waited for them has ended.
pub(super) fn subtasks_over(view: &TaskView) -> Decision {
    if view.unsaid > 0 || (view.resume_after_subtasks && view.unsaid_reports > 0) {
        return change(TaskState::queued(Start::Continue), vec![]);
    }
    well(view)
}

fn before_the_end_matters(view: &TaskView, phase: Phase, outcome: Outcome) -> Option<Decision> {
    if let Phase::Stopping { reason: StopReason::Cancelled }
    | Phase::Killing { reason: StopReason::Cancelled } = phase
    {
        return Some(cancelled_run(view));
    }
    if view.open_questions > 0 {
        return Some(change(
            TaskState::Blocked { on: BlockedOn::Question },
            vec![Effect::EndExecution(Outcome::Blocked), Effect::EndStreaks],
        ));
    }
    if view.unsaid > 0 && outcome != Outcome::BudgetExceeded && outcome != Outcome::Auth {
        // Only what this run did not carry counts here, so the next run always has something new to
        // say: a message that kills every run that carries it meets the retry limit instead.
        return Some(change(
            TaskState::queued(Start::Continue),
            vec![Effect::EndExecution(outcome), Effect::EndStreaks],
        ));
    }
    None
}

fn reported_failure() -> Fault {
    Fault::new("reported_failure", "the agent reported that it failed")
}

fn finished(view: &TaskView, ending: &Ending, reported: Option<SummaryOutcome>) -> Decision {
    if !ending.turn_taken {
        return failed(view, &Fault::new("no_turn", "the agent ended without a turn of its model"));
    }
    if reported == Some(SummaryOutcome::Failed) {
        return failed(view, &reported_failure());
    }
    if let (Some(denial), false) = (ending.denials.first(), ending.changed) {
        let fault =
            Fault::new("permission_denied", format!("`{}` was denied and nothing was changed", denial.tool));
        let hint = match &ending.allowing {
            Some(line) => format!("allowed by: {line}"),
            None => "`callbox logs` shows what the agent said of it".to_owned(),
        };
        return failed(view, &fault.hinted(hint));
    }
    if view.open_subtasks > 0 {
        return change(
            TaskState::Blocked { on: BlockedOn::Subtasks },
            vec![Effect::EndExecution(Outcome::Succeeded), Effect::ForgetTroubles],
        );
    }
    if view.resume_after_subtasks && view.unsaid_reports > 0 {
        return change(
            TaskState::queued(Start::Continue),
            vec![Effect::EndExecution(Outcome::Succeeded), Effect::ForgetTroubles],
        );
    }
    well(view)
}

/// All is said and done: what the task demands of that decides.
fn well(view: &TaskView) -> Decision {
    if view.last_execution.is_none() {
        return deliver(view);
    }
    match shortfall(view.demands, view.met) {
        None => deliver(view),
        Some(Shortfall::Remind) => change(
            TaskState::queued(Start::Continue),
            vec![Effect::EndExecution(Outcome::Succeeded), Effect::Remind, Effect::EndStreaks],
        ),
        Some(Shortfall::Fail(fault)) => failed(view, &fault),
    }
}

/// A task without any execution has nothing to deliver: it runs first. What was done in the person's own directory
/// stands there.
fn deliver(view: &TaskView) -> Decision {
    match view.last_execution {
        Some(_) if view.by_hand => finish::delivered(view, Phase::Delivering),
        Some(execution) => {
            let phase = if view.verify_tries.is_some() { Phase::Verifying } else { Phase::Delivering };
            change(TaskState::Running { execution, phase }, vec![Effect::BeginDelivery])
        }
        None => change(TaskState::queued(Start::Fresh), vec![]),
    }
}

fn failed(view: &TaskView, fault: &Fault) -> Decision {
    let failures = view.failures + 1;
    let effects = vec![Effect::EndExecution(Outcome::Failed), Effect::CountFailure];
    if failures >= view.retry.max_attempts {
        return end_badly(view, End::Failed { fault: fault.clone() }, effects);
    }
    let growth = u64::from(view.retry.backoff).saturating_pow(failures - 1);
    let delay = Duration::from_secs(view.retry.delay_seconds.saturating_mul(growth));
    let wait = Wait::Retry { until: view.now.plus(delay) };
    change(TaskState::Queued { wait, start: Start::Continue }, effects)
}

fn rate_limited(view: &TaskView, until: Option<Timestamp>, message: &str) -> Decision {
    let effects = vec![Effect::EndExecution(Outcome::RateLimited), Effect::CountRateLimit];
    if view.on_rate_limit == OnRateLimit::Fail {
        let fault = Fault::new("rate_limited", message)
            .hinted("`callbox resume` goes on in the same conversation once the provider serves again");
        return end_badly(view, End::Failed { fault }, effects);
    }
    let until = until.unwrap_or_else(|| view.now.plus(backoff(view.rate_limits)));
    change(TaskState::Queued { wait: Wait::RateLimit { until }, start: Start::Continue }, effects)
}

fn backoff(refusals_before: u32) -> Duration {
    Duration::from_secs(30).saturating_mul(1u32 << refusals_before.min(6)).min(LONGEST_BACKOFF)
}
