//! The laws of the state machine, by random walks: whatever happens in whatever order, they hold.

use std::collections::BTreeSet;

use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};

use super::*;
use crate::{
    ids::{ExecutionNumber, TaskNumber, Timestamp},
    vocabulary::{AgentEnd, Denial, Ending, Fault, OnRateLimit, RetryPolicy, StopReason, SummaryOutcome},
};

fn ends() -> impl Strategy<Value = AgentEnd> {
    prop_oneof![
        4 => Just(AgentEnd::Finished),
        1 => Just(AgentEnd::Failed { fault: Fault::new("provider", "no") }),
        1 => Just(AgentEnd::Unavailable { fault: Fault::new("program_missing", "no") }),
        1 => Just(AgentEnd::RateLimited { until: None, message: "later".into() }),
        1 => Just(AgentEnd::Auth { message: "no".into() }),
        1 => Just(AgentEnd::TimedOut { seconds: 1 }),
        1 => Just(AgentEnd::Interrupted),
        1 => prop_oneof![Just(StopReason::Cancelled), Just(StopReason::Budget), Just(StopReason::Asked)]
            .prop_map(|reason| AgentEnd::Stopped { reason }),
    ]
}

fn endings() -> impl Strategy<Value = Ending> {
    (ends(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(end, turn_taken, changed, denied)| {
        let denial = Denial { tool: "Bash".into(), input: "ls".into(), count: 1 };
        Ending {
            turn_taken,
            denials: if denied { vec![denial] } else { vec![] },
            changed,
            ..Ending::not_begun(end)
        }
    })
}

fn events() -> impl Strategy<Value = TaskEvent> {
    let reported = prop_oneof![
        Just(None),
        Just(Some(SummaryOutcome::Done)),
        Just(Some(SummaryOutcome::Partial)),
        Just(Some(SummaryOutcome::Failed)),
    ];
    prop_oneof![
        1 => Just(TaskEvent::Start),
        3 => (1i64..1000)
            .prop_map(|number| TaskEvent::Claim { execution: ExecutionNumber::new(number) }),
        1 => Just(TaskEvent::DependencyFailed { dependency: TaskNumber::new(1), state: "failed" }),
        1 => Just(TaskEvent::NeverStarted),
        4 => (endings(), reported)
            .prop_map(|(ending, reported)| TaskEvent::AgentEnded { ending: Box::new(ending), reported }),
        1 => any::<bool>().prop_map(|turn_taken| TaskEvent::Lost { turn_taken }),
        2 => Just(TaskEvent::Delivered),
        1 => Just(TaskEvent::DeliveryFailed { fault: Fault::new("delivery", "no") }),
        1 => Just(TaskEvent::Answered),
        1 => Just(TaskEvent::SubtaskEnded),
        1 => Just(TaskEvent::Cancel),
        1 => Just(TaskEvent::Kill),
        1 => Just(TaskEvent::Resume),
        1 => Just(TaskEvent::Retry { start: Start::Fresh }),
        1 => Just(TaskEvent::Accept),
        1 => Just(TaskEvent::Reject),
    ]
}

/// Everything a view holds besides the state, as the world might have it.
fn worlds() -> impl Strategy<Value = TaskView> {
    // Mostly nothing, or the walks would hardly ever end well.
    let rarely = || prop_oneof![4 => Just(false), 1 => Just(true)];
    let demands = (rarely(), rarely()).prop_map(|(summary, changes)| Demands { summary, changes });
    let met = any::<[bool; 3]>().prop_map(|[summary, changes, reminded]| Met { summary, changes, reminded });
    let few = || prop_oneof![4 => Just(0u32), 1 => 1u32..3];
    let counts = (few(), few(), few(), few());
    (counts, 1u32..4, any::<[bool; 3]>(), demands, met).prop_map(
        |((questions, unsaid, reports, subtasks), attempts, [fail, review, resume], demands, met)| TaskView {
            state: TaskState::Pending,
            last_execution: None,
            open_questions: questions,
            unsaid,
            unsaid_reports: reports,
            open_subtasks: subtasks,
            failures: 0,
            losses: 0,
            rate_limits: 0,
            retry: RetryPolicy { max_attempts: attempts, ..RetryPolicy::default() },
            on_rate_limit: if fail { OnRateLimit::Fail } else { OnRateLimit::Wait },
            demands,
            met,
            review,
            resume_after_subtasks: resume,
            now: Timestamp::from_millis(1_000_000),
        },
    )
}

fn by_a_person(event: &TaskEvent) -> bool {
    matches!(event, TaskEvent::Resume | TaskEvent::Retry { .. })
}

/// One step of a walk: what was seen, what happened, what was decided.
struct Step {
    view: TaskView,
    event: TaskEvent,
    decision: Result<Decision, Refusal>,
}

/// Walks from a new task through `happenings`; each brings its own world around the task.
fn walk(happenings: Vec<(TaskView, TaskEvent)>) -> Vec<Step> {
    let (mut state, mut last_execution) = (TaskState::queued(Start::Fresh), None);
    let (mut failures, mut losses) = (0, 0);
    let mut steps = Vec::new();
    for (world, event) in happenings {
        let view = TaskView { state: state.clone(), last_execution, failures, losses, ..world };
        let decision = decide(&view, &event);
        if let Ok(Decision::Change { state: next, effects }) = &decision {
            state = next.clone();
            last_execution = state.execution().or(last_execution);
            for effect in effects {
                match effect {
                    Effect::CountFailure => failures += 1,
                    Effect::CountLoss => losses += 1,
                    Effect::ForgetTroubles => (failures, losses) = (0, 0),
                    Effect::EndStreaks => losses = 0,
                    _ => {}
                }
            }
        }
        steps.push(Step { view, event, decision });
    }
    steps
}

fn walks() -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec((worlds(), events()), 1..40).prop_map(walk).no_shrink()
}

impl std::fmt::Debug for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{:?}\n  -- {:?}\n  => {:?}", self.view.state, self.event, self.decision)
    }
}

fn after(step: &Step) -> (&TaskState, &[Effect]) {
    match &step.decision {
        Ok(Decision::Change { state, effects }) => (state, effects),
        _ => (&step.view.state, &[]),
    }
}

proptest! {
    #[test]
    fn an_end_is_left_only_by_a_persons_act(steps in walks()) {
        for step in &steps {
            if step.view.state.is_end() && !after(step).0.is_end() {
                prop_assert!(by_a_person(&step.event), "{step:?}");
            }
        }
    }

    #[test]
    fn an_end_never_turns_into_another_end(steps in walks()) {
        for step in &steps {
            if step.view.state.is_end() && after(step).0.is_end() {
                prop_assert_eq!(&step.view.state, after(step).0);
            }
        }
    }

    #[test]
    fn a_question_open_at_the_end_blocks_whatever_the_exit(steps in walks()) {
        for step in &steps {
            let TaskState::Running { phase, .. } = step.view.state else { continue };
            let over = matches!(step.event, TaskEvent::AgentEnded { .. } | TaskEvent::Lost { .. });
            if over && phase == Phase::Agent && step.view.open_questions > 0 {
                let blocked = TaskState::Blocked { on: BlockedOn::Question };
                prop_assert_eq!(after(step).0, &blocked);
                prop_assert!(after(step).1.contains(&Effect::EndExecution(Outcome::Blocked)));
            }
        }
    }

    #[test]
    fn nothing_becomes_completed_without_a_succeeded_execution(steps in walks()) {
        let mut succeeded = false;
        for step in &steps {
            let (state, effects) = after(step);
            succeeded |= effects.contains(&Effect::EndExecution(Outcome::Succeeded));
            if state.is_completed() {
                prop_assert!(succeeded, "{step:?}");
            }
        }
    }

    #[test]
    fn only_an_agent_that_finished_is_delivered(steps in walks()) {
        for step in &steps {
            if !after(step).1.contains(&Effect::BeginDelivery) {
                continue;
            }
            match &step.event {
                TaskEvent::AgentEnded { ending, reported } => {
                    prop_assert_eq!(&ending.end, &AgentEnd::Finished);
                    prop_assert!(ending.turn_taken, "{step:?}");
                    prop_assert_ne!(reported, &Some(SummaryOutcome::Failed));
                }
                TaskEvent::SubtaskEnded => {
                    prop_assert_eq!(&step.view.state, &TaskState::Blocked { on: BlockedOn::Subtasks });
                }
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }

    #[test]
    fn nothing_is_delivered_that_lacks_what_its_task_demands(steps in walks()) {
        for step in &steps {
            let Demands { summary, changes } = step.view.demands;
            if after(step).1.contains(&Effect::BeginDelivery) {
                prop_assert!(step.view.met.summary || !summary, "{step:?}");
                prop_assert!(step.view.met.changes || !changes, "{step:?}");
            }
        }
    }

    #[test]
    fn an_agent_is_reminded_only_of_what_is_demanded_and_once(steps in walks()) {
        for step in &steps {
            if after(step).1.contains(&Effect::Remind) {
                prop_assert!(step.view.demands.summary && !step.view.met.summary, "{step:?}");
                prop_assert!(!step.view.met.reminded, "{step:?}");
                prop_assert_eq!(after(step).0, &TaskState::queued(Start::Continue));
            }
        }
    }

    #[test]
    fn cancel_is_idempotent(steps in walks()) {
        for step in &steps {
            let Ok(Decision::Change { state, .. }) = decide(&step.view, &TaskEvent::Cancel) else { continue };
            let again = decide(&TaskView { state, ..step.view.clone() }, &TaskEvent::Cancel);
            let idempotent = matches!(again, Ok(Decision::Unchanged { .. }));
            prop_assert!(idempotent, "{step:?} then {again:?}");
        }
    }

    #[test]
    fn a_cancelled_run_ends_cancelled_whatever_else_happened(steps in walks()) {
        for step in &steps {
            let TaskState::Running { phase: Phase::Stopping { reason: StopReason::Cancelled }, .. } =
                step.view.state else { continue };
            if matches!(step.event, TaskEvent::AgentEnded { .. } | TaskEvent::Lost { .. }) {
                let cancelled = TaskState::Ended { end: End::Cancelled };
                prop_assert_eq!(after(step).0, &cancelled);
            }
        }
    }

    #[test]
    fn what_is_unsaid_when_a_run_ends_well_is_said_next(steps in walks()) {
        for step in &steps {
            let TaskState::Running { phase: Phase::Agent, .. } = step.view.state else { continue };
            let TaskEvent::AgentEnded { ending, .. } = &step.event else { continue };
            if ending.end == AgentEnd::Finished && step.view.unsaid > 0 && step.view.open_questions == 0 {
                prop_assert_eq!(after(step).0, &TaskState::queued(Start::Continue));
            }
        }
    }

    #[test]
    fn no_way_out_of_running_skips_the_end_of_its_execution(steps in walks()) {
        for step in &steps {
            let (state, effects) = after(step);
            let left = matches!(step.view.state, TaskState::Running { .. })
                && !matches!(state, TaskState::Running { .. });
            if left {
                let ended = effects.iter().any(|effect| {
                    matches!(effect, Effect::EndExecution(_) | Effect::DropExecution)
                });
                prop_assert!(ended, "{step:?}");
            }
        }
    }

    #[test]
    fn every_way_into_cancelled_withdraws_what_was_asked(steps in walks()) {
        for step in &steps {
            let cancelled = TaskState::Ended { end: End::Cancelled };
            if after(step).0 == &cancelled && step.view.state != cancelled {
                prop_assert!(after(step).1.contains(&Effect::WithdrawQuestions), "{step:?}");
            }
        }
    }

    #[test]
    fn attempts_are_never_more_than_asked_for(steps in walks()) {
        for step in &steps {
            if let TaskState::Queued { wait: Wait::Retry { .. }, .. } = after(step).0
                && after(step).1.contains(&Effect::CountFailure)
            {
                prop_assert!(step.view.failures + 1 < step.view.retry.max_attempts);
            }
        }
    }
}

/// The laws above hold of nothing where the walks go nowhere.
#[test]
fn walks_reach_every_state_and_every_phase() {
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    for _ in 0..500 {
        for step in walks().new_tree(&mut runner).unwrap().current() {
            seen.insert(match after(&step).0 {
                TaskState::Running { phase: Phase::Delivering, .. } => "delivering",
                TaskState::Running { phase: Phase::Stopping { .. }, .. } => "stopping",
                TaskState::Running { phase: Phase::Killing { .. }, .. } => "killing",
                TaskState::Blocked { on: BlockedOn::Subtasks } => "blocked on subtasks",
                state => state.name(),
            });
        }
    }
    let wanted = [
        "blocked",
        "blocked on subtasks",
        "budget_exceeded",
        "cancelled",
        "completed",
        "delivering",
        "failed",
        "killing",
        "queued",
        "ready",
        "running",
        "stopping",
        "timed_out",
    ];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), wanted);
}

#[test]
fn two_losses_in_a_row_without_an_agent_event_fail() {
    let steps = walk(vec![
        (quiet_world(), claim(1)),
        (quiet_world(), TaskEvent::Lost { turn_taken: false }),
        (quiet_world(), claim(2)),
        (quiet_world(), TaskEvent::Lost { turn_taken: false }),
    ]);
    assert_eq!(after(&steps[1]).0, &TaskState::queued(Start::Continue));
    assert_eq!(after(&steps[3]).0.name(), "failed");
}

#[test]
fn a_cancel_is_refused_once_the_branch_is_being_written() {
    let finished = TaskEvent::AgentEnded {
        ending: Box::new(Ending { turn_taken: true, changed: true, ..Ending::not_begun(AgentEnd::Finished) }),
        reported: None,
    };
    let steps =
        walk(vec![(quiet_world(), claim(1)), (quiet_world(), finished), (quiet_world(), TaskEvent::Cancel)]);
    assert_eq!(steps[2].decision, Err(Refusal::BeingDelivered));
}

fn claim(number: i64) -> TaskEvent {
    TaskEvent::Claim { execution: ExecutionNumber::new(number) }
}

fn quiet_world() -> TaskView {
    TaskView {
        state: TaskState::Pending,
        last_execution: None,
        open_questions: 0,
        unsaid: 0,
        unsaid_reports: 0,
        open_subtasks: 0,
        failures: 0,
        losses: 0,
        rate_limits: 0,
        retry: RetryPolicy::default(),
        on_rate_limit: OnRateLimit::Wait,
        demands: Demands::default(),
        met: Met::default(),
        review: false,
        resume_after_subtasks: true,
        now: Timestamp::from_millis(0),
    }
}
