use proptest::prelude::*;

use super::*;
use crate::protocol::supervise::Orders;

const SECOND: Duration = Duration::from_secs(1);

fn orders(desired: Desired) -> Orders {
    Orders { level: 1, desired, hello_seen: true, question_open: false, unnamed: Vec::new() }
}

fn heard(orders: Orders) -> Event {
    Event::Standing(Standing { orders: Some(orders), ..Standing::default() })
}

fn away(since: Instant) -> Event {
    Event::Standing(Standing { away_since: Some(since), ..Standing::default() })
}

/// A watch, and a clock that a test moves.
struct Case {
    watch: Watch,
    now: Instant,
}

impl Case {
    fn with(limits: Limits) -> Self {
        let now = Instant::now();
        Self { watch: Watch::new(limits, now), now }
    }

    fn take(&mut self, event: Event) -> Option<Manner> {
        self.watch.take(event, self.now)
    }

    /// Lets time pass as the loop does, from deadline to deadline; how long until something was
    /// decided, if anything was within an hour.
    fn wait(&mut self) -> Option<Duration> {
        let begun = self.now;
        self.pass(3600 * SECOND).first().map(|(_, at)| *at - begun)
    }

    /// Lets `time` pass likewise; all that was decided, and when.
    fn pass(&mut self, time: Duration) -> Vec<(Manner, Instant)> {
        let (until, mut decided) = (self.now + time, Vec::new());
        while self.now < until {
            self.now = self.watch.deadline(self.now).min(until);
            decided.extend(self.watch.take(Event::Time, self.now).map(|manner| (manner, self.now)));
        }
        decided
    }
}

#[test]
fn a_run_that_is_let_alone_is_never_ended() {
    let mut case = Case::with(Limits::default());
    for event in [heard(orders(Desired::Go)), Event::Turn, Event::Session("s".to_owned())] {
        assert_eq!(case.take(event), None);
    }
    assert_eq!(case.wait(), None);
    assert_eq!(case.watch.cause(), None);
}

#[test]
fn a_run_ends_at_its_time_limit() {
    let mut case = Case::with(Limits { timeout: Some(90 * SECOND), ..Limits::default() });
    assert_eq!(case.wait(), Some(90 * SECOND));
    assert_eq!(case.watch.cause(), Some(&Cause::TimedOut { seconds: 90 }));
}

#[test]
fn a_run_is_idle_from_its_last_word_or_work_and_not_once_it_has_given_its_result() {
    let limits = Limits { idle: Some(900 * SECOND), ..Limits::default() };
    let mut case = Case::with(limits.clone());
    assert_eq!(case.pass(899 * SECOND), []);
    assert!(!case.watch.is_idle(case.now));
    case.take(Event::Active);
    assert_eq!(case.wait(), Some(900 * SECOND));
    assert!(case.watch.is_idle(case.now));
    assert_eq!(case.watch.cause(), Some(&Cause::Idle { seconds: 900 }));

    let mut case = Case::with(limits);
    case.take(Event::Done);
    assert_eq!(case.wait(), Some(5 * SECOND));
    assert_eq!(case.watch.cause(), Some(&Cause::Done));
}

#[test]
fn time_in_which_the_run_could_not_be_watched_counts_for_no_limit() {
    let limits = Limits { timeout: Some(90 * SECOND), patience: Some(60 * SECOND), ..Limits::default() };
    let mut case = Case::with(limits);
    assert_eq!(case.pass(30 * SECOND), []);
    case.now += 3600 * SECOND;
    case.take(away(case.now - 1800 * SECOND));
    // Of the standstill one tick counts.
    assert_eq!(case.wait(), Some(59 * SECOND));
    assert_eq!(case.watch.cause(), Some(&Cause::TimedOut { seconds: 90 }));
}

#[test]
fn an_agent_that_asked_has_two_minutes_unless_it_is_answered() {
    let asked = Orders { question_open: true, ..orders(Desired::Go) };
    let mut case = Case::with(Limits::default());
    case.take(heard(asked.clone()));
    case.pass(60 * SECOND);
    case.take(heard(asked.clone()));
    assert_eq!(case.wait(), Some(60 * SECOND));
    assert_eq!(case.watch.cause(), Some(&Cause::Stopped(StopReason::Asked)));

    let mut case = Case::with(Limits::default());
    case.take(heard(asked));
    case.take(heard(orders(Desired::Go)));
    assert_eq!(case.wait(), None);
}

#[test]
fn an_agent_whose_shim_is_not_heard_of_is_ended_after_its_first_turn() {
    let unheard = Orders { hello_seen: false, ..orders(Desired::Go) };
    let mut case = Case::with(Limits::default());
    case.take(heard(unheard.clone()));
    assert_eq!(case.wait(), None);
    case.take(Event::Turn);
    assert_eq!(case.wait(), Some(5 * SECOND));
    assert!(matches!(case.watch.cause(), Some(Cause::Fault(fault)) if fault.code == "wiring"));

    let mut case = Case::with(Limits::default());
    case.take(heard(unheard));
    case.take(Event::Turn);
    case.take(heard(orders(Desired::Go)));
    assert_eq!(case.wait(), None);
}

#[test]
fn the_shim_has_its_time_again_when_the_store_comes_back() {
    let unheard = Orders { hello_seen: false, ..orders(Desired::Go) };
    let mut case = Case::with(Limits::default());
    case.take(heard(unheard.clone()));
    case.take(Event::Turn);
    case.take(away(case.now));
    assert_eq!(case.wait(), None);
    case.take(heard(unheard));
    assert_eq!(case.wait(), Some(5 * SECOND));
}

#[test]
fn patience_counts_from_when_the_store_was_last_missed() {
    let mut case = Case::with(Limits { patience: Some(60 * SECOND), ..Limits::default() });
    case.take(away(case.now));
    assert_eq!(case.pass(50 * SECOND), []);
    case.take(heard(orders(Desired::Go)));
    assert_eq!(case.wait(), None);
    case.take(away(case.now));
    assert_eq!(case.wait(), Some(60 * SECOND));
    assert_eq!(case.watch.cause(), Some(&Cause::Interrupted));

    let mut case = Case::with(Limits::default());
    case.take(away(case.now));
    assert_eq!(case.wait(), None);
}

#[test]
fn an_agent_that_has_given_its_result_is_ended_soon_and_keeps_it() {
    let limits = Limits { timeout: Some(3 * SECOND), ..Limits::default() };
    let mut case = Case::with(limits);
    case.take(Event::Done);
    assert_eq!(case.wait(), Some(5 * SECOND));
    assert_eq!(case.watch.cause(), Some(&Cause::Done));
}

#[test]
fn a_budget_that_is_used_up_ends_an_agent_at_work_and_takes_no_result_away() {
    let spent = || heard(orders(Desired::Stop(StopReason::Budget)));
    let mut case = Case::with(Limits::default());
    assert_eq!(case.take(spent()), Some(Manner::Ask));
    assert_eq!(case.watch.cause(), Some(&Cause::Stopped(StopReason::Budget)));

    let mut case = Case::with(Limits::default());
    case.take(Event::Done);
    assert_eq!(case.take(spent()), None);
    assert_eq!(case.wait(), Some(5 * SECOND));
    assert_eq!(case.watch.cause(), Some(&Cause::Done));
}

#[test]
fn another_session_than_the_recorded_one_ends_the_run_and_any_session_begins_one() {
    let mut case = Case::with(Limits { session: Some("a".to_owned()), ..Limits::default() });
    assert_eq!(case.take(Event::Session("a".to_owned())), None);
    assert_eq!(case.take(Event::Session("b".to_owned())), Some(Manner::Ask));
    assert!(matches!(case.watch.cause(), Some(Cause::Fault(fault)) if fault.code == "session_changed"));
    assert_eq!(Case::with(Limits::default()).take(Event::Session("b".to_owned())), None);
}

#[test]
fn a_stop_becomes_a_kill_and_keeps_its_reason() {
    let mut case = Case::with(Limits::default());
    let cancelled = StopReason::Cancelled;
    assert_eq!(case.take(heard(orders(Desired::Stop(cancelled)))), Some(Manner::Ask));
    assert_eq!(case.take(heard(orders(Desired::Stop(cancelled)))), None);
    assert_eq!(case.take(heard(orders(Desired::Kill(cancelled)))), Some(Manner::Kill));
    assert_eq!(case.watch.cause(), Some(&Cause::Stopped(cancelled)));
}

#[test]
fn a_second_signal_kills() {
    let mut case = Case::with(Limits::default());
    assert_eq!(case.take(Event::Terminated), Some(Manner::Ask));
    assert_eq!(case.take(Event::Terminated), Some(Manner::Kill));
    assert_eq!(case.take(Event::Terminated), None);
    assert_eq!(case.watch.cause(), Some(&Cause::Interrupted));
}

fn events() -> impl Strategy<Value = Event> {
    let desired = prop_oneof![
        Just(Desired::Go),
        Just(Desired::Stop(StopReason::Budget)),
        Just(Desired::Kill(StopReason::Cancelled)),
    ];
    let standing =
        (desired, any::<[bool; 4]>()).prop_map(|(desired, [hello_seen, question_open, away, disowned])| {
            Event::Standing(Standing {
                orders: Some(Orders { level: 1, desired, hello_seen, question_open, unnamed: Vec::new() }),
                away_since: away.then(Instant::now),
                disowned,
            })
        });
    prop_oneof![
        Just(Event::Active),
        Just(Event::Turn),
        Just(Event::Session("a".to_owned())),
        Just(Event::Session("b".to_owned())),
        Just(Event::Done),
        Just(Event::Hopeless(AgentEnd::Auth { message: "no".to_owned() })),
        standing,
        Just(Event::Terminated),
        Just(Event::Time),
    ]
}

proptest! {
    #[test]
    fn a_cause_stays_and_a_manner_only_becomes_more_urgent(
        steps in proptest::collection::vec((events(), 0u64..50), 0..12),
        timeout in proptest::option::of(1u64..100),
        patience in proptest::option::of(1u64..100),
        idle in proptest::option::of(1u64..100),
    ) {
        let limits = Limits {
            timeout: timeout.map(Duration::from_secs),
            patience: patience.map(Duration::from_secs),
            idle: idle.map(Duration::from_secs),
            session: Some("a".to_owned()),
            hello: Hello::Due,
        };
        let mut case = Case::with(limits);
        let (mut cause, mut manners) = (None, Vec::new());
        for (event, seconds) in steps {
            let passed = case.pass(SECOND * u32::try_from(seconds).unwrap());
            manners.extend(passed.into_iter().map(|(manner, _)| manner));
            manners.extend(case.take(event));
            let now = case.watch.cause().cloned();
            if cause.is_some() && now != Some(Cause::Disowned) {
                prop_assert_eq!(&now, &cause);
            }
            cause = now;
            prop_assert!(case.watch.deadline(case.now) > case.now);
        }
        prop_assert_eq!(cause.is_some(), !manners.is_empty());
        prop_assert!(manners.len() <= 2 && manners.is_sorted());
    }
}
