//! Random walks through the states: what may happen in which world, and what came of it.

use proptest::prelude::*;

use crate::{
    domain::*,
    ids::{ExecutionNumber, TaskNumber, Timestamp},
    vocabulary::{
        AgentEnd, ClosedBy, Denial, Ending, Fault, OnRateLimit, RetryPolicy, StopReason, SummaryOutcome,
    },
};

fn ends() -> impl Strategy<Value = AgentEnd> {
    prop_oneof![
        8 => Just(AgentEnd::Finished),
        1 => Just(AgentEnd::Failed { fault: Fault::new("provider", "no") }),
        1 => Just(AgentEnd::Unavailable { fault: Fault::new("program_missing", "no") }),
        1 => Just(AgentEnd::RateLimited { until: None, message: "later".into() }),
        1 => Just(AgentEnd::Auth { message: "no".into() }),
        1 => Just(AgentEnd::TimedOut { seconds: 1 }),
        1 => Just(AgentEnd::Idle { seconds: 1 }),
        1 => Just(AgentEnd::Spent { message: "no".into() }),
        1 => Just(AgentEnd::Interrupted),
        1 => proptest::sample::select(vec![
            StopReason::Cancelled, StopReason::Budget, StopReason::Asked, StopReason::Told
        ])
        .prop_map(|reason| AgentEnd::Stopped { reason }),
    ]
}

fn closers() -> impl Strategy<Value = ClosedBy> {
    prop_oneof![Just(ClosedBy::Person), Just(ClosedBy::Time)]
}

fn endings() -> impl Strategy<Value = Ending> {
    let mostly = prop_oneof![3 => Just(true), 1 => Just(false)];
    (ends(), mostly, any::<bool>(), any::<bool>()).prop_map(|(end, turn_taken, changed, denied)| {
        let denial = Denial { tool: "Bash".into(), input: "ls".into(), count: 1 };
        Ending {
            turn_taken,
            denials: if denied { vec![denial] } else { vec![] },
            changed,
            ..Ending::not_begun(end)
        }
    })
}

/// How the last run may have ended that left a question open.
fn last_endings() -> impl Strategy<Value = Ending> {
    prop_oneof![4 => endings(), 1 => closers().prop_map(Ending::closed)]
}

fn events() -> impl Strategy<Value = TaskEvent> {
    let reported = prop_oneof![
        Just(None),
        Just(Some(SummaryOutcome::Done)),
        Just(Some(SummaryOutcome::Partial)),
        Just(Some(SummaryOutcome::Failed)),
    ];
    let reported = reported.boxed();
    prop_oneof![
        1 => Just(TaskEvent::Start),
        8 => (1i64..1000)
            .prop_map(|number| TaskEvent::Claim { execution: ExecutionNumber::new(number) }),
        4 => (1i64..1000)
            .prop_map(|number| TaskEvent::Opened { execution: ExecutionNumber::new(number) }),
        4 => (closers(), reported.clone())
            .prop_map(|(by, reported)| TaskEvent::Closed { by, reported }),
        1 => Just(TaskEvent::DependencyFailed { dependency: TaskNumber::new(1), state: "failed" }),
        1 => Just(TaskEvent::NeverStarted),
        2 => Just(TaskEvent::BudgetSpent),
        1 => Just(TaskEvent::DaySpent),
        10 => (endings(), reported.clone())
            .prop_map(|(ending, reported)| TaskEvent::AgentEnded { ending: Box::new(ending), reported }),
        1 => any::<bool>().prop_map(|turn_taken| TaskEvent::Lost { turn_taken }),
        1 => Just(TaskEvent::MachineRestarted),
        1 => Just(TaskEvent::ToVerify),
        2 => Just(TaskEvent::Verified),
        1 => Just(TaskEvent::NotVerified { fault: Fault::new("verify", "no") }),
        1 => Just(TaskEvent::FinishStopped),
        4 => Just(TaskEvent::Delivered),
        1 => Just(TaskEvent::DeliveryFailed { fault: Fault::new("delivery", "no") }),
        1 => Just(TaskEvent::Conflicted { fault: Fault::new("conflict", "no") }),
        4 => Just(TaskEvent::Kept),
        1 => Just(TaskEvent::Answered),
        1 => (proptest::option::of(last_endings()), reported.clone()).prop_map(|(ending, reported)| {
            TaskEvent::Dismissed { ending: ending.map(Box::new), reported }
        }),
        1 => Just(TaskEvent::SubtaskEnded),
        2 => prop_oneof![Just(Urgency::NextChance), Just(Urgency::Now)]
            .prop_map(|urgency| TaskEvent::Told { urgency }),
        1 => Just(TaskEvent::Cancel),
        1 => Just(TaskEvent::Kill),
        1 => Just(TaskEvent::Resume),
        1 => Just(TaskEvent::Retry { start: Start::Fresh }),
        6 => Just(TaskEvent::Accept),
        1 => Just(TaskEvent::Reject),
    ]
}

/// Everything a view holds besides the state, as the world might have it.
fn worlds() -> impl Strategy<Value = TaskView> {
    // Mostly nothing, or the walks would hardly ever end well.
    let rarely = || prop_oneof![4 => Just(false), 1 => Just(true)];
    let demands = (rarely(), rarely()).prop_map(|(summary, changes)| Demands { summary, changes });
    let verify = (prop_oneof![2 => Just(None), 1 => (0u32..3).prop_map(Some)], 0u32..4);
    let met = any::<[bool; 3]>().prop_map(|[summary, changes, reminded]| Met { summary, changes, reminded });
    let unkept = prop_oneof![2 => Just(false), 1 => Just(true)];
    let unkept = (unkept, rarely());
    let few = || prop_oneof![4 => Just(0u32), 1 => 1u32..3];
    let counts = (few(), few(), few(), few());
    let over_budget = rarely().prop_map(|over| over.then(|| Fault::new("budget", "used up")));
    (counts, 1u32..4, any::<[bool; 3]>(), (demands, unkept, over_budget), met, verify).prop_map(
        |(counts, attempts, [fail, review, resume], (demands, unkept, over_budget), met, verify)| {
            let (questions, unsaid, reports, subtasks) = counts;
            TaskView {
                state: TaskState::Pending,
                last_execution: None,
                unkept: unkept.0,
                by_hand: unkept.1,
                open_questions: questions,
                unsaid,
                unsaid_reports: reports,
                open_subtasks: subtasks,
                over_budget,
                failures: 0,
                losses: 0,
                rate_limits: 0,
                retry: RetryPolicy { max_attempts: attempts, ..RetryPolicy::default() },
                on_rate_limit: if fail { OnRateLimit::Fail } else { OnRateLimit::Wait },
                demands,
                met,
                verify_tries: verify.0,
                conflict_tries: verify.0.unwrap_or(1),
                mendings: verify.1,
                review,
                // Mostly, or no walk would come to a merge: it has to be accepted first.
                unmerged: fail || resume,
                resume_after_subtasks: resume,
                now: Timestamp::from_millis(1_000_000),
            }
        },
    )
}

pub(super) fn by_a_person(event: &TaskEvent) -> bool {
    matches!(event, TaskEvent::Resume | TaskEvent::Retry { .. })
}

/// One step of a walk: what was seen, what happened, what was decided.
pub(super) struct Step {
    pub(super) view: TaskView,
    pub(super) event: TaskEvent,
    pub(super) decision: Result<Decision, Refusal>,
}

/// Walks from a new task through `happenings`; each brings its own world around the task.
pub(super) fn walk(happenings: Vec<(TaskView, TaskEvent)>) -> Vec<Step> {
    let (mut state, mut last_execution) = (TaskState::queued(Start::Fresh), None);
    let (mut failures, mut losses) = (0, 0);
    let mut steps = Vec::new();
    for (world, event) in happenings {
        let by_hand = world.by_hand || matches!(state, TaskState::Running { phase: Phase::Unbound, .. });
        let view = TaskView { state: state.clone(), last_execution, failures, losses, by_hand, ..world };
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

pub(super) fn walks() -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec((worlds(), events()), 1..40).prop_map(walk).no_shrink()
}

impl std::fmt::Debug for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{:?}\n  -- {:?}\n  => {:?}", self.view.state, self.event, self.decision)
    }
}

pub(super) fn after(step: &Step) -> (&TaskState, &[Effect]) {
    match &step.decision {
        Ok(Decision::Change { state, effects }) => (state, effects),
        _ => (&step.view.state, &[]),
    }
}

/// The end that a state is or comes to, whatever happens.
pub(super) fn sealed(state: &TaskState) -> Option<&End> {
    match state {
        TaskState::Keeping { end, .. } | TaskState::Ended { end } => Some(end),
        _ => None,
    }
}

pub(super) fn claim(number: i64) -> TaskEvent {
    TaskEvent::Claim { execution: ExecutionNumber::new(number) }
}

pub(super) fn quiet_world() -> TaskView {
    TaskView {
        state: TaskState::Pending,
        last_execution: None,
        unkept: false,
        by_hand: false,
        open_questions: 0,
        unsaid: 0,
        unsaid_reports: 0,
        open_subtasks: 0,
        over_budget: None,
        failures: 0,
        losses: 0,
        rate_limits: 0,
        retry: RetryPolicy::default(),
        on_rate_limit: OnRateLimit::Wait,
        demands: Demands::default(),
        met: Met::default(),
        verify_tries: None,
        conflict_tries: 2,
        mendings: 0,
        review: false,
        unmerged: false,
        resume_after_subtasks: true,
        now: Timestamp::from_millis(0),
    }
}
