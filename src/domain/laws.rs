//! The laws of the state machine, by random walks: whatever happens in whatever order, they hold. Here stands that
//! the walks reach every state, and what they hardly ever come to.

use std::collections::BTreeSet;

use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};

use self::walks::{after, claim, quiet_world, walk, walks};
use super::*;
use crate::{
    ids::ExecutionNumber,
    vocabulary::{AgentEnd, Ending, Fault, StopReason},
};

mod by_hand;
mod cancelling;
mod ends;
mod handing_over;
mod walks;
mod words;

/// The laws above hold of nothing where the walks go nowhere.
#[test]
fn walks_reach_every_state_and_every_phase() {
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    for _ in 0..500 {
        for step in walks().new_tree(&mut runner).unwrap().current() {
            seen.insert(match after(&step).0 {
                TaskState::Running { phase: Phase::Delivering, .. } => "delivering",
                TaskState::Running { phase: Phase::Merging, .. } => "merging",
                TaskState::Running { phase: Phase::Verifying, .. } => "verifying",
                TaskState::Running { phase: Phase::Stopping { reason: StopReason::Told }, .. } => "told",
                TaskState::Running { phase: Phase::Stopping { .. }, .. } => "stopping",
                TaskState::Running { phase: Phase::Unbound, .. } => "unbound",
                TaskState::Running { phase: Phase::Killing { .. }, .. } => "killing",
                TaskState::Blocked { on: BlockedOn::Subtasks } => "blocked on subtasks",
                TaskState::Keeping { .. } => "keeping",
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
        "keeping",
        "killing",
        "merging",
        "queued",
        "ready",
        "running",
        "stopping",
        "timed_out",
        "told",
        "unbound",
        "verifying",
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
fn restarts_of_the_machine_are_counted_nowhere_however_many_there_are() {
    let restart = |number| [(quiet_world(), claim(number)), (quiet_world(), TaskEvent::MachineRestarted)];
    let lost = [(quiet_world(), claim(9)), (quiet_world(), TaskEvent::Lost { turn_taken: false })];
    let steps = walk((1..5).flat_map(restart).chain(lost).collect());
    for step in steps.iter().filter(|step| step.event == TaskEvent::MachineRestarted) {
        assert_eq!(
            after(step),
            (&TaskState::queued(Start::Continue), &[Effect::EndExecution(Outcome::Lost)][..])
        );
    }
    assert_eq!(after(&steps[9]).0, &TaskState::queued(Start::Continue), "the first loss");
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

#[test]
fn an_agent_that_ends_well_while_it_is_being_ended_for_its_budget_has_ended_well() {
    let over = || TaskView { over_budget: Some(Fault::new("budget", "used up")), ..quiet_world() };
    let finished = TaskEvent::AgentEnded {
        ending: Box::new(Ending { turn_taken: true, ..Ending::not_begun(AgentEnd::Finished) }),
        reported: None,
    };
    let steps = walk(vec![(quiet_world(), claim(1)), (over(), TaskEvent::BudgetSpent), (over(), finished)]);
    assert_eq!(
        after(&steps[2]).0,
        &TaskState::Running { execution: ExecutionNumber::new(1), phase: Phase::Delivering }
    );
}

#[test]
fn a_run_that_never_started_and_was_to_be_ended_for_a_message_is_given_back() {
    let steps = walk(vec![
        (quiet_world(), claim(1)),
        (quiet_world(), TaskEvent::Told { urgency: Urgency::Now }),
        (quiet_world(), TaskEvent::NeverStarted),
    ]);
    assert_eq!(after(&steps[2]), (&TaskState::queued(Start::Continue), &[Effect::DropExecution][..]));
}
