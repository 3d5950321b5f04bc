//! What a cancel does, and when it comes too late.

use proptest::prelude::*;

use super::walks::{after, sealed, walks};
use crate::domain::*;
use crate::vocabulary::StopReason;

proptest! {
    #[test]
    fn a_cancel_is_heard_until_the_branch_is_being_written(steps in walks()) {
        for step in &steps {
            let TaskState::Running { phase, .. } = step.view.state else { continue };
            let heard = decide(&step.view, &TaskEvent::Cancel);
            let late = matches!(phase, Phase::Delivering | Phase::Merging);
            prop_assert_eq!(heard.is_err(), late, "{:?}", step);
        }
    }

    #[test]
    fn a_command_decides_about_the_work_only_while_a_cancel_is_heard(steps in walks()) {
        for step in &steps {
            let state = match decide(&step.view, &TaskEvent::ToVerify) {
                Ok(Decision::Change { state, .. }) => state,
                Ok(Decision::Unchanged { .. }) => step.view.state.clone(),
                Err(_) => continue,
            };
            let accepted = matches!(state, TaskState::Running { phase: Phase::Merging, .. });
            if sealed(&state).is_none() && !accepted {
                let heard = decide(&TaskView { state, ..step.view.clone() }, &TaskEvent::Cancel);
                prop_assert!(heard.is_ok(), "{step:?}");
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
                    | TaskEvent::MachineRestarted
                    | TaskEvent::ToVerify
                    | TaskEvent::Verified
                    | TaskEvent::NotVerified { .. }
                    | TaskEvent::Conflicted { .. }
                    | TaskEvent::FinishStopped
                    | TaskEvent::DeliveryFailed { .. }
            );
            if over {
                prop_assert_eq!(sealed(after(step).0), Some(&End::Cancelled));
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
}
