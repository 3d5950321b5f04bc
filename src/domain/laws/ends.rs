//! When a task ends, how, and what an end leaves.

use proptest::prelude::*;

use super::walks::{after, by_a_person, sealed, walks};
use crate::domain::*;
use crate::vocabulary::{AgentEnd, StopReason};

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
