//! The laws of the state machine, by random walks: whatever happens in whatever order, they hold.

use std::collections::BTreeSet;

use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};

use self::walks::{after, by_a_person, claim, quiet_world, sealed, walk, walks};
use super::*;
use crate::vocabulary::{AgentEnd, Ending, Fault, StopReason, SummaryOutcome};

mod walks;

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
    fn what_is_being_kept_ends_as_was_decided_and_only_once_it_is_kept(steps in walks()) {
        for step in &steps {
            let TaskState::Keeping { end, .. } = &step.view.state else { continue };
            prop_assert_ne!(end, &End::Completed);
            let state = after(step).0;
            prop_assert_eq!(sealed(state), Some(end), "{:?}", step);
            prop_assert_eq!(state.is_end(), step.event == TaskEvent::Kept, "{:?}", step);
        }
    }

    #[test]
    fn work_that_stands_nowhere_else_is_kept_before_any_end_that_is_no_good_one(steps in walks()) {
        for step in &steps {
            let (state, effects) = after(step);
            let ends = !step.view.state.is_end() && state.is_end() && !state.is_completed();
            if ends && step.event != TaskEvent::Kept {
                prop_assert!(!step.view.unkept || step.view.last_execution.is_none(), "{step:?}");
            }
            let kept = matches!(state, TaskState::Keeping { .. });
            let begins = kept && sealed(&step.view.state).is_none();
            prop_assert_eq!(begins, effects.contains(&Effect::BeginKeeping), "{:?}", step);
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
    fn nothing_begins_or_goes_on_by_itself_over_its_budget(steps in walks()) {
        for step in &steps {
            if step.view.over_budget.is_none() {
                continue;
            }
            prop_assert!(!after(step).1.iter().any(|effect| matches!(effect, Effect::NewExecution(_))), "{step:?}");
            if by_a_person(&step.event) {
                prop_assert_eq!(after(step).0, &step.view.state);
            }
            let at_work = matches!(step.view.state, TaskState::Running { phase: Phase::Agent, .. });
            if step.event == TaskEvent::BudgetSpent && at_work {
                let is_told = matches!(
                    after(step).0,
                    TaskState::Running { phase: Phase::Stopping { reason: StopReason::Budget }, .. }
                );
                prop_assert!(is_told, "{step:?}");
            }
        }
    }

    #[test]
    fn a_budget_ends_only_what_has_used_it_up(steps in walks()) {
        for step in &steps {
            let is_spent = |state: &TaskState| matches!(state.decided_end(), Some(End::BudgetExceeded { .. }));
            if is_spent(&step.view.state) || !is_spent(after(step).0) {
                continue;
            }
            let said = match &step.event {
                TaskEvent::AgentEnded { ending, .. } | TaskEvent::Dismissed { ending: Some(ending), .. } => {
                    matches!(ending.end, AgentEnd::Spent { .. })
                }
                _ => false,
            };
            prop_assert!(said || step.view.over_budget.is_some(), "{step:?}");
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
                TaskEvent::Dismissed { ending: Some(ending), reported } => {
                    prop_assert_eq!(&step.view.state, &TaskState::Blocked { on: BlockedOn::Question });
                    prop_assert!(ending.end == AgentEnd::Finished && ending.turn_taken, "{step:?}");
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
    fn nothing_is_handed_over_before_its_command_has_passed(steps in walks()) {
        for step in &steps {
            let TaskState::Running { phase: Phase::Delivering, .. } = after(step).0 else { continue };
            if matches!(step.view.state, TaskState::Running { phase: Phase::Delivering, .. }) {
                continue;
            }
            let verifying = matches!(step.view.state, TaskState::Running { phase: Phase::Verifying, .. });
            let passed = verifying && step.event == TaskEvent::Verified;
            prop_assert!(passed || !verifying && step.view.verify_tries.is_none(), "{step:?}");
        }
    }

    #[test]
    fn what_a_command_or_a_branch_objects_to_is_mended_only_so_often_and_always_told_of(steps in walks()) {
        for step in &steps {
            let TaskState::Running { phase: Phase::Verifying | Phase::Delivering, .. } = step.view.state else {
                continue;
            };
            let fault = || Fault::new("verify", "no");
            let (view, tries) = (&step.view, step.view.verify_tries.unwrap_or(0));
            for (event, say, tries) in [
                (TaskEvent::NotVerified { fault: fault() }, Effect::SayVerification, tries),
                (TaskEvent::Conflicted { fault: fault() }, Effect::SayConflict, view.conflict_tries),
            ] {
                let Ok(Decision::Change { state, effects }) = decide(view, &event) else {
                    return Err(TestCaseError::fail(format!("{step:?}: {event:?} is refused")));
                };
                prop_assert!(effects.contains(&say), "{step:?}: {event:?}");
                let left = view.mendings < tries || view.unsaid > 0;
                prop_assert_eq!(effects.contains(&Effect::CountMending), left, "{:?}: {:?}", step, event);
                prop_assert_eq!(state == TaskState::queued(Start::Continue), left, "{:?}: {:?}", step, event);
                prop_assert!(left || matches!(sealed(&state), Some(End::Failed { .. })), "{step:?}: {event:?}");
            }
        }
    }

    #[test]
    fn work_that_passes_its_command_again_goes_on_being_handed_over(steps in walks()) {
        for step in &steps {
            if !matches!(step.view.state, TaskState::Running { phase: Phase::Delivering, .. }) {
                continue;
            }
            let again = decide(&step.view, &TaskEvent::Verified);
            prop_assert!(matches!(again, Ok(Decision::Unchanged { .. })), "{step:?}: {again:?}");
        }
    }

    #[test]
    fn a_cancel_is_heard_until_the_branch_is_being_written(steps in walks()) {
        for step in &steps {
            let TaskState::Running { phase, .. } = step.view.state else { continue };
            let heard = decide(&step.view, &TaskEvent::Cancel);
            prop_assert_eq!(heard.is_err(), phase == Phase::Delivering, "{:?}", step);
        }
    }

    #[test]
    fn a_review_is_ended_only_by_a_person(steps in walks()) {
        for step in &steps {
            if step.view.state == TaskState::Ready && after(step).0 != &TaskState::Ready {
                let wanted = match &step.event {
                    TaskEvent::Accept => TaskState::Ended { end: End::Completed },
                    TaskEvent::Reject => TaskState::queued(Start::Continue),
                    TaskEvent::Cancel | TaskEvent::Kill => {
                        prop_assert_eq!(sealed(after(step).0), Some(&End::Cancelled));
                        continue;
                    }
                    other => return Err(TestCaseError::fail(format!("{other:?}"))),
                };
                prop_assert_eq!(after(step).0, &wanted);
            }
        }
    }

    #[test]
    fn a_dismissed_question_leaves_the_end_there_would_have_been_without_it(steps in walks()) {
        for step in &steps {
            let TaskEvent::Dismissed { ending: Some(ending), reported } = &step.event else { continue };
            let (Ok(Decision::Change { state, .. }), Some(execution)) =
                (&step.decision, step.view.last_execution) else { continue };
            let running = TaskState::Running { execution, phase: Phase::Agent };
            let view = TaskView { state: running, ..step.view.clone() };
            let ended = TaskEvent::AgentEnded { ending: ending.clone(), reported: *reported };
            let Ok(Decision::Change { state: other, .. }) = decide(&view, &ended) else { continue };
            if step.view.unsaid == 0 {
                prop_assert_eq!(state, &other);
            } else {
                prop_assert_eq!(state, &TaskState::queued(Start::Continue));
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
            let over = matches!(
                step.event,
                TaskEvent::AgentEnded { .. }
                    | TaskEvent::Lost { .. }
                    | TaskEvent::Verified
                    | TaskEvent::NotVerified { .. }
                    | TaskEvent::FinishStopped
                    | TaskEvent::DeliveryFailed { .. }
            );
            if over {
                prop_assert_eq!(sealed(after(step).0), Some(&End::Cancelled));
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
    fn a_message_is_refused_just_where_nothing_is_to_come_that_would_hear_it(steps in walks()) {
        for step in &steps {
            let deaf = match step.view.state {
                TaskState::Ready | TaskState::Keeping { .. } | TaskState::Ended { .. } => true,
                TaskState::Running { phase: Phase::Stopping { reason } | Phase::Killing { reason }, .. } => {
                    reason != StopReason::Told
                }
                _ => false,
            };
            for urgency in [Urgency::NextChance, Urgency::Now] {
                prop_assert_eq!(decide(&step.view, &TaskEvent::Told { urgency }).is_err(), deaf, "{:?}", step);
            }
        }
    }

    #[test]
    fn a_message_moves_a_task_only_to_its_agent(steps in walks()) {
        for step in &steps {
            let TaskEvent::Told { urgency } = step.event else { continue };
            if after(step).0 == &step.view.state {
                continue;
            }
            match &step.view.state {
                TaskState::Blocked { on: BlockedOn::Subtasks } => {
                    prop_assert_eq!(after(step).0, &TaskState::queued(Start::Continue));
                }
                TaskState::Running { execution, phase: Phase::Agent } => {
                    prop_assert_eq!(urgency, Urgency::Now);
                    let phase = Phase::Stopping { reason: StopReason::Told };
                    prop_assert_eq!(after(step).0, &TaskState::Running { execution: *execution, phase });
                }
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }

    #[test]
    fn a_turn_that_was_ended_for_a_message_goes_on_with_it(steps in walks()) {
        for step in &steps {
            let TaskState::Running { phase: Phase::Stopping { reason: StopReason::Told }, .. } =
                step.view.state else { continue };
            let dear = |end: &AgentEnd| matches!(
                end,
                AgentEnd::Auth { .. } | AgentEnd::Spent { .. } | AgentEnd::Stopped { reason: StopReason::Budget }
            );
            let over = match &step.event {
                TaskEvent::AgentEnded { ending, .. } => !dear(&ending.end),
                TaskEvent::Lost { .. } => true,
                _ => false,
            };
            if over && step.view.unsaid > 0 && step.view.open_questions == 0 {
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
            let is_new = sealed(&step.view.state).is_none();
            if is_new && sealed(after(step).0) == Some(&End::Cancelled) {
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
                TaskState::Running { phase: Phase::Verifying, .. } => "verifying",
                TaskState::Running { phase: Phase::Stopping { reason: StopReason::Told }, .. } => "told",
                TaskState::Running { phase: Phase::Stopping { .. }, .. } => "stopping",
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
        "queued",
        "ready",
        "running",
        "stopping",
        "timed_out",
        "told",
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
fn a_run_that_never_started_and_was_to_be_ended_for_a_message_is_given_back() {
    let steps = walk(vec![
        (quiet_world(), claim(1)),
        (quiet_world(), TaskEvent::Told { urgency: Urgency::Now }),
        (quiet_world(), TaskEvent::NeverStarted),
    ]);
    assert_eq!(after(&steps[2]), (&TaskState::queued(Start::Continue), &[Effect::DropExecution][..]));
}
