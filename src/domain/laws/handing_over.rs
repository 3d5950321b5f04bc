//! What becomes of an agent's work before it counts.

use proptest::prelude::*;

use super::walks::{after, sealed, walks};
use crate::domain::*;
use crate::vocabulary::{AgentEnd, Fault, StopReason, SummaryOutcome};

proptest! {
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
            let TaskState::Running { phase: Phase::Verifying | Phase::Delivering | Phase::Merging, .. } = step.view.state else {
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
            if !matches!(step.view.state, TaskState::Running { phase: Phase::Delivering | Phase::Merging, .. }) {
                continue;
            }
            let again = decide(&step.view, &TaskEvent::Verified);
            prop_assert!(matches!(again, Ok(Decision::Unchanged { .. })), "{step:?}: {again:?}");
        }
    }

    #[test]
    fn no_report_of_the_step_behind_an_agent_is_taken_while_it_is_at_work(steps in walks()) {
        for step in &steps {
            let TaskState::Running { phase, .. } = step.view.state else { continue };
            let at_work = match phase {
                Phase::Agent | Phase::Unbound => true,
                Phase::Stopping { reason } | Phase::Killing { reason } => reason != StopReason::Cancelled,
                Phase::Verifying | Phase::Delivering | Phase::Merging => false,
            };
            if !at_work {
                continue;
            }
            let fault = || Fault::new("verify", "no");
            for event in [
                TaskEvent::ToVerify,
                TaskEvent::Verified,
                TaskEvent::NotVerified { fault: fault() },
                TaskEvent::Conflicted { fault: fault() },
                TaskEvent::FinishStopped,
                TaskEvent::DeliveryFailed { fault: fault() },
                TaskEvent::Delivered,
                TaskEvent::Kept,
            ] {
                let decision = decide(&step.view, &event);
                prop_assert!(decision.is_err(), "{step:?}: {event:?} => {decision:?}");
            }
        }
    }

    #[test]
    fn whoever_is_gone_the_step_behind_an_agent_is_only_repeated(steps in walks()) {
        for step in &steps {
            let TaskState::Running { phase, .. } = step.view.state else { continue };
            if matches!(phase, Phase::Verifying | Phase::Delivering | Phase::Merging) {
                let gone = [TaskEvent::Lost { turn_taken: true }, TaskEvent::MachineRestarted, TaskEvent::NeverStarted];
                for event in gone {
                    let decided = decide(&step.view, &event);
                    prop_assert!(matches!(decided, Ok(Decision::Unchanged { .. })), "{event:?}: {decided:?}");
                }
            }
        }
    }

    #[test]
    fn a_review_is_ended_only_by_a_person(steps in walks()) {
        for step in &steps {
            if step.view.state == TaskState::Ready && after(step).0 != &TaskState::Ready {
                let wanted = match &step.event {
                    TaskEvent::Accept => match step.view.last_execution.filter(|_| step.view.unmerged) {
                        Some(execution) => TaskState::Running { execution, phase: Phase::Merging },
                        None => TaskState::Ended { end: End::Completed },
                    },
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
    fn what_is_merged_at_accept_was_accepted_and_is_never_lost_for_that(steps in walks()) {
        for step in &steps {
            let merging = |state: &TaskState| matches!(state, TaskState::Running { phase: Phase::Merging, .. });
            if merging(after(step).0) && !merging(&step.view.state) {
                prop_assert_eq!(&step.event, &TaskEvent::Accept);
                prop_assert_eq!(&step.view.state, &TaskState::Ready);
                prop_assert_eq!(after(step).1, &[Effect::BeginMerging][..]);
            }
            if !merging(&step.view.state) {
                continue;
            }
            let fault = Fault::new("delivery", "no");
            let given_back = decide(&step.view, &TaskEvent::DeliveryFailed { fault });
            let ready = matches!(&given_back, Ok(Decision::Change { state: TaskState::Ready, .. }));
            prop_assert!(ready, "{given_back:?}");
            let merged = decide(&step.view, &TaskEvent::Delivered);
            let wanted = match step.view.unsaid {
                0 => TaskState::Ended { end: End::Completed },
                _ => TaskState::queued(Start::Continue),
            };
            let done = matches!(&merged, Ok(Decision::Change { state, .. }) if *state == wanted);
            prop_assert!(done, "{merged:?}");
        }
    }
}
