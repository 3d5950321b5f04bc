use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::{
    domain::{AgentHealth, AgentPlace, Cooling, Pause, PauseReason, Slots, Wait, schedule},
    ids::TaskNumber,
    vocabulary::Priority,
};

const NAMES: [&str; 3] = ["claude", "codex", "gemini"];

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1000)
}

/// A task for whichever of `agents`.
fn any_of(agents: &[&str]) -> Candidate {
    Candidate {
        task: TaskNumber::new(1),
        priority: Priority::Normal,
        agents: agents.iter().map(|agent| (*agent).to_owned()).collect(),
        refused_by: None,
        project: None,
        wait: Wait::Turn,
        began: at(0),
    }
}

fn fleet<const N: usize>(agents: [(&str, AgentPlace); N]) -> Fleet {
    Fleet {
        slots: Slots::UNLIMITED,
        agents: agents.into_iter().map(|(name, place)| (name.to_owned(), place)).collect(),
        projects: BTreeMap::new(),
        spent: false,
        day_over: at(86_400),
    }
}

fn working(taken: u32) -> AgentPlace {
    AgentPlace { slots: Slots { limit: 9, taken }, ..AgentPlace::default() }
}

fn full() -> AgentPlace {
    AgentPlace { slots: Slots { limit: 0, taken: 0 }, ..AgentPlace::default() }
}

fn cooling(until: i64) -> AgentPlace {
    let cooling = Some(Cooling { since: at(0), until: at(until), refusals: 1 });
    AgentPlace { health: AgentHealth { cooling, ..AgentHealth::default() }, ..AgentPlace::default() }
}

fn paused(reason: PauseReason, again: Option<i64>) -> AgentPlace {
    let pause = Pause { since: at(0), reason, message: "no".to_owned(), probes: 0, again: again.map(at) };
    AgentPlace {
        health: AgentHealth { pause: Some(pause), ..AgentHealth::default() },
        ..AgentPlace::default()
    }
}

#[test]
fn any_is_the_agent_with_the_fewest_runs_at_work_and_the_first_by_name_among_equals() {
    let any = any_of(&NAMES);
    assert_eq!(fleet([]).pick(&any, at(1)), Ok("claude"));
    assert_eq!(fleet([("claude", working(1))]).pick(&any, at(1)), Ok("codex"));
    let busy = [("claude", working(2)), ("codex", working(2)), ("gemini", working(1))];
    assert_eq!(fleet(busy).pick(&any, at(1)), Ok("gemini"));
    assert_eq!(fleet([]).pick(&any_of(&["gemini", "codex"]), at(1)), Ok("codex"));
}

#[test]
fn tasks_for_any_are_spread_over_the_agents_within_one_look() {
    let candidates: Vec<_> =
        (1..=5).map(|task| Candidate { task: TaskNumber::new(task), ..any_of(&NAMES) }).collect();
    let decided = schedule(&candidates, fleet([("codex", working(1))]), at(1));
    let agents: Vec<_> = decided.claim.iter().map(|claim| claim.agent.as_str()).collect();
    assert_eq!(agents, ["claude", "gemini", "claude", "codex", "gemini"]);
}

#[test]
fn any_is_never_one_that_is_of_no_use_now_while_another_is() {
    let any = any_of(&NAMES);
    for unfit in [cooling(9), paused(PauseReason::Auth, Some(9)), paused(PauseReason::Failures, None), full()]
    {
        let standing = [("claude", unfit.clone()), ("codex", working(5)), ("gemini", working(6))];
        assert_eq!(fleet(standing).pick(&any, at(1)), Ok("codex"), "{unfit:?}");
    }
    // Whether a login is of use again is found out by who has no other way.
    let due = paused(PauseReason::Auth, Some(1));
    let standing = |other| fleet([("claude", due.clone()), ("codex", other), ("gemini", full())]);
    assert_eq!(standing(working(5)).pick(&any, at(1)), Ok("codex"));
    assert_eq!(standing(cooling(9)).pick(&any, at(1)), Ok("claude"));
}

#[test]
fn what_holds_a_task_for_any_is_said_of_each_agent_and_the_first_end_is_waited_for() {
    let standing =
        || [("claude", paused(PauseReason::Auth, Some(50))), ("codex", cooling(9)), ("gemini", full())];
    let Err(hold) = fleet(standing()).pick(&any_of(&NAMES), at(1)) else { panic!("all are held") };
    let Hold::Agents { each } = &hold else { panic!("{hold:?}") };
    let kinds: Vec<_> = each.iter().map(|(agent, hold)| (agent.as_str(), hold.distance())).collect();
    assert_eq!(kinds, [("claude", 3), ("codex", 1), ("gemini", 0)]);
    assert_eq!((hold.until(), hold.nearest().0), (Some(at(9)), Some("gemini")));
    let one = fleet(standing()).hold(&any_of(&["codex"]), at(1));
    assert_eq!(one, Some(Hold::RateLimit { until: at(9) }), "of one alone nothing more is to be said");
    let mut spent = fleet([]);
    spent.spent = true;
    assert!(
        matches!(spent.hold(&any_of(&NAMES), at(1)), Some(Hold::DayBudget { .. })),
        "no matter of theirs"
    );
}

#[test]
fn a_refusal_holds_the_task_with_the_agent_that_was_refused_and_no_other() {
    let wait = Wait::RateLimit { until: at(60) };
    let refused = Candidate { wait, refused_by: Some("claude".to_owned()), ..any_of(&NAMES) };
    assert_eq!(fleet([]).pick(&refused, at(1)), Ok("codex"));
    assert_eq!(fleet([]).pick(&refused, at(60)), Ok("claude"));
    let alone = Candidate { agents: vec!["claude".to_owned()], ..refused };
    assert_eq!(fleet([]).pick(&alone, at(1)), Err(Hold::RateLimit { until: at(60) }));
    let retried = Candidate { wait: Wait::Retry { until: at(60) }, ..any_of(&NAMES) };
    assert_eq!(fleet([]).pick(&retried, at(1)), Err(Hold::Retry { until: at(60) }), "whoever it would be");
}

#[test]
fn a_conversation_stays_with_its_agent_and_a_refusal_before_there_is_one_binds_to_nobody() {
    let run = |agent: &str, conversation| EarlierRun { agent: agent.to_owned(), conversation };
    let goes_on = |runs: &[EarlierRun]| bound_to(Start::Continue, runs).map(str::to_owned);
    assert_eq!(goes_on(&[]), None);
    assert_eq!(goes_on(&[run("claude", false)]), None);
    assert_eq!(goes_on(&[run("claude", false), run("codex", true)]), Some("codex".to_owned()));
    assert_eq!(goes_on(&[run("codex", true), run("codex", false)]), Some("codex".to_owned()));
    assert_eq!(bound_to(Start::Fresh, &[run("codex", true)]), None);
}

fn places() -> impl Strategy<Value = AgentPlace> {
    let again = prop_oneof![Just(None), (0i64..20).prop_map(Some)];
    let reason = prop_oneof![Just(PauseReason::Auth), Just(PauseReason::Failures)];
    let health = prop_oneof![
        Just(AgentPlace::default()),
        (0i64..20).prop_map(cooling),
        (reason, again).prop_map(|(reason, again)| paused(reason, again)),
    ];
    (health, 0u32..4, 0u32..4, any::<bool>()).prop_map(|(place, limit, taken, probing)| AgentPlace {
        slots: Slots { limit, taken },
        probing,
        ..place
    })
}

proptest! {
    #[test]
    fn whoever_is_picked_could_run_it_alone_and_none_that_is_as_fit_works_less(
        standing in proptest::collection::vec(places(), 3), asked in 1usize..8,
    ) {
        let mut fleet = fleet([]);
        fleet.agents = NAMES.map(str::to_owned).into_iter().zip(standing).collect();
        let asked: Vec<&str> =
            NAMES.iter().enumerate().filter(|(place, _)| asked >> place & 1 == 1).map(|(_, name)| *name).collect();
        let alone = |agent: &str| fleet.pick(&any_of(&[agent]), at(10)).is_ok();
        match fleet.pick(&any_of(&asked), at(10)) {
            Ok(agent) => {
                prop_assert!(alone(agent));
                let worth = |name: &str| {
                    let place = &fleet.agents[name];
                    (place.health.pause.is_some(), place.slots.taken, name.to_owned())
                };
                prop_assert!(asked.iter().filter(|other| alone(other)).all(|other| worth(agent) <= worth(other)));
            }
            Err(hold) => {
                prop_assert!(asked.iter().all(|agent| !alone(agent)));
                let of = |agent: &&&str| fleet.hold(&any_of(&[agent]), at(10)).and_then(|hold| hold.until());
                prop_assert_eq!(hold.until(), asked.iter().filter_map(|agent| of(&agent)).min());
            }
        }
    }
}
