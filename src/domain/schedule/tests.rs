use std::{collections::BTreeMap, path::PathBuf};

use proptest::prelude::*;

use super::*;
use crate::{
    domain::{
        AgentHealth, AgentPlace, Hold, Pause, PauseReason, ProjectPlace, Sharers, Slots, Spender, Wait,
    },
    vocabulary::Priority,
};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1000)
}

fn candidate(task: i64, priority: Priority, wait: Wait) -> Candidate {
    let agent = if task % 2 == 0 { "even" } else { "odd" };
    Candidate {
        task: TaskNumber::new(task),
        priority,
        agents: vec![agent.to_owned()],
        refused_by: None,
        project: Some(PathBuf::from(format!("/p{}", task % 3))),
        wait,
        began: at(0),
    }
}

fn normal(task: i64) -> Candidate {
    candidate(task, Priority::Normal, Wait::Turn)
}

fn fleet(limit: u32, taken: u32) -> Fleet {
    Fleet {
        slots: Slots { limit, taken },
        agents: BTreeMap::new(),
        projects: BTreeMap::new(),
        spent: false,
        day_over: at(86_400),
    }
}

fn agent(health: AgentHealth) -> AgentPlace {
    AgentPlace { slots: Slots::UNLIMITED, health, probing: false }
}

fn paused(reason: PauseReason, again: Option<Timestamp>) -> AgentHealth {
    let pause = Pause { since: at(1), reason, message: "401".to_owned(), probes: 0, again };
    AgentHealth { pause: Some(pause), ..AgentHealth::default() }
}

fn numbers(schedule: &Schedule) -> Vec<i64> {
    schedule.claim.iter().map(|claim| claim.task.value()).collect()
}

#[test]
fn a_delay_that_began_in_what_is_now_the_future_is_over() {
    for wait in [Wait::Retry { until: at(6000) }, Wait::RateLimit { until: at(6000) }] {
        let waiting = [Candidate { began: at(5400), ..candidate(1, Priority::Normal, wait) }];
        let claimed = |now| schedule(&waiting, fleet(4, 0), now);
        assert_eq!(claimed(at(5700)), Schedule { claim: vec![], wake_at: Some(at(6000)) });
        assert_eq!(claimed(at(5400 - 59)).claim, [], "put right, not set back");
        assert_eq!(numbers(&claimed(at(600))), [1]);
        assert_eq!(claimed(at(600)).wake_at, None);
    }
}

#[test]
fn the_highest_priority_goes_first_and_the_oldest_among_equals() {
    let of = |task, priority| candidate(task, priority, Wait::Turn);
    let candidates = [normal(3), normal(2), of(9, Priority::High), of(1, Priority::Low)];
    assert_eq!(numbers(&schedule(&candidates, fleet(4, 1), at(0))), [9, 2, 3]);
}

#[test]
fn a_delay_is_waited_out_and_the_next_one_named() {
    let candidates = [candidate(1, Priority::Normal, Wait::Retry { until: at(50) })];
    assert_eq!(schedule(&candidates, fleet(4, 0), at(49)).wake_at, Some(at(50)));
    assert_eq!(numbers(&schedule(&candidates, fleet(4, 0), at(50))), [1]);
}

#[test]
fn a_full_agent_or_project_holds_its_own_tasks_and_nobody_else() {
    let candidates: Vec<_> = (1..=6).map(normal).collect();
    let mut one = fleet(10, 1);
    let full = AgentPlace { slots: Slots { limit: 1, taken: 1 }, ..agent(AgentHealth::default()) };
    one.agents.insert("odd".to_owned(), full);
    assert_eq!(numbers(&schedule(&candidates, one.clone(), at(0))), [2, 4, 6]);
    assert_eq!(one.hold(&normal(1), at(0)), Some(Hold::Slot { of: Sharers::Agent }));
    let mut two = fleet(10, 0);
    let place = ProjectPlace { slots: Slots { limit: 1, taken: 0 }, spent: false };
    two.projects.insert(PathBuf::from("/p1"), place);
    assert_eq!(numbers(&schedule(&candidates, two, at(0))), [1, 2, 3, 5, 6], "one of `/p1`, not the second");
}

#[test]
fn a_provider_that_refuses_holds_every_task_of_its_agent_until_the_time_it_named() {
    let mut fleet = fleet(10, 0);
    let cooling = Some(crate::domain::Cooling { since: at(0), until: at(30), refusals: 1 });
    fleet.agents.insert("odd".to_owned(), agent(AgentHealth { cooling, ..AgentHealth::default() }));
    let candidates: Vec<_> = (1..=4).map(normal).collect();
    let decided = schedule(&candidates, fleet.clone(), at(10));
    assert_eq!((numbers(&decided), decided.wake_at), (vec![2, 4], Some(at(30))));
    assert_eq!(numbers(&schedule(&candidates, fleet, at(30))).len(), 4);
}

#[test]
fn a_paused_agent_is_given_one_probe_at_a_time_and_none_before_it_is_due() {
    let candidates: Vec<_> = [1, 3, 5].map(normal).into();
    let with = |health, probing| {
        let mut fleet = fleet(10, 0);
        fleet.agents.insert("odd".to_owned(), AgentPlace { probing, ..agent(health) });
        schedule(&candidates, fleet, at(60))
    };
    let due = paused(PauseReason::Auth, Some(at(60)));
    let probe = Claim { task: TaskNumber::new(1), agent: "odd".to_owned(), role: Role::Probe };
    assert_eq!(with(due.clone(), false).claim, [probe]);
    assert_eq!(with(due, true).claim, []);
    let later = with(paused(PauseReason::Auth, Some(at(61))), false);
    assert_eq!((later.claim, later.wake_at), (vec![], Some(at(61))));
    let never = with(paused(PauseReason::Failures, None), false);
    assert_eq!((never.claim, never.wake_at), (vec![], None));
}

#[test]
fn a_login_that_nothing_is_known_against_any_more_holds_nobody() {
    let waiting = [candidate(1, Priority::Normal, Wait::Auth)];
    assert_eq!(numbers(&schedule(&waiting, fleet(4, 0), at(0))), [1]);
}

#[test]
fn a_day_that_is_spent_holds_its_tasks_until_it_is_over() {
    let mut of_all = fleet(4, 0);
    of_all.spent = true;
    let decided = schedule(&[normal(1)], of_all, at(5));
    assert_eq!((decided.claim, decided.wake_at), (vec![], Some(at(86_400))));
    let mut of_one = fleet(4, 0);
    of_one.projects.insert(PathBuf::from("/p1"), ProjectPlace { slots: Slots::UNLIMITED, spent: true });
    let hold = Hold::DayBudget { of: Spender::Project, until: at(86_400) };
    assert_eq!(of_one.hold(&normal(1), at(5)), Some(hold));
    assert_eq!(numbers(&schedule(&[normal(1), normal(2)], of_one, at(5))), [2]);
}

/// Laws over any fleet.
fn slots() -> impl Strategy<Value = Slots> {
    (0u32..6, 0u32..6).prop_map(|(limit, taken)| Slots { limit, taken })
}

fn health() -> impl Strategy<Value = AgentHealth> {
    let again = prop_oneof![Just(None), (0i64..20).prop_map(|seconds| Some(at(seconds)))];
    let reason = prop_oneof![Just(PauseReason::Auth), Just(PauseReason::Failures)];
    prop_oneof![
        Just(AgentHealth::default()),
        (reason, again).prop_map(|(reason, again)| paused(reason, again)),
        (0i64..20).prop_map(|until| AgentHealth {
            cooling: Some(crate::domain::Cooling { since: at(0), until: at(until), refusals: 1 }),
            ..AgentHealth::default()
        }),
    ]
}

fn fleets() -> impl Strategy<Value = Fleet> {
    let agents = (slots(), health(), any::<bool>(), any::<bool>());
    let projects = proptest::collection::vec((slots(), any::<bool>()), 0..3);
    (slots(), agents, projects).prop_map(|(slots, (own, health, probing, known), projects)| {
        let mut fleet = Fleet { slots, ..fleet(0, 0) };
        if known {
            fleet.agents.insert("odd".to_owned(), AgentPlace { slots: own, health, probing });
        }
        for (place, (slots, spent)) in projects.into_iter().enumerate() {
            fleet.projects.insert(PathBuf::from(format!("/p{place}")), ProjectPlace { slots, spent });
        }
        fleet
    })
}

/// `fleet` once what was decided is claimed; each when its turn came was held by nothing.
fn behind(mut fleet: Fleet, decided: &Schedule, candidates: &[Candidate]) -> Fleet {
    for claim in &decided.claim {
        let one = candidates.iter().find(|candidate| candidate.task == claim.task).unwrap();
        assert_eq!(fleet.pick(one, at(10)), Ok(claim.agent.as_str()));
        fleet.take(one, &claim.agent);
    }
    fleet
}

proptest! {
    #[test]
    fn no_slots_are_ever_exceeded_and_no_free_one_is_left_to_a_task_that_may_run(
        before in fleets(), tasks in 0i64..12,
    ) {
        let candidates: Vec<_> = (1..=tasks).map(normal).collect();
        let decided = schedule(&candidates, before.clone(), at(10));
        let after = behind(before.clone(), &decided, &candidates);
        let within = |before: Slots, after: Slots| after.taken <= after.limit.max(before.taken);
        prop_assert!(within(before.slots, after.slots));
        for (name, place) in &after.agents {
            let before = before.agents.get(name).map(|place| place.slots).unwrap_or_default();
            prop_assert!(within(before, place.slots));
        }
        for (path, place) in &after.projects {
            prop_assert!(within(before.projects[path].slots, place.slots));
        }
        for candidate in &candidates {
            let claimed = decided.claim.iter().any(|claim| claim.task == candidate.task);
            prop_assert!(claimed || after.hold(candidate, at(10)).is_some());
        }
    }

    #[test]
    fn whoever_is_held_until_some_time_is_looked_at_again_by_then(before in fleets(), tasks in 0i64..12) {
        let candidates: Vec<_> = (1..=tasks).map(normal).collect();
        let decided = schedule(&candidates, before.clone(), at(10));
        let after = behind(before, &decided, &candidates);
        let unclaimed = |one: &&Candidate| decided.claim.iter().all(|claim| claim.task != one.task);
        for candidate in candidates.iter().filter(unclaimed) {
            if let Some(until) = after.hold(candidate, at(10)).and_then(|hold| hold.until()) {
                prop_assert!(decided.wake_at.is_some_and(|wake| wake <= until));
            }
        }
    }
}
