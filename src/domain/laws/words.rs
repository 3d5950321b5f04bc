//! What is asked, answered and said, and that all of it is heard.

use proptest::prelude::*;

use super::walks::{after, walks};
use crate::domain::*;
use crate::vocabulary::{AgentEnd, StopReason};

proptest! {
    #[test]
    fn a_question_open_at_the_end_blocks_whatever_the_exit(steps in walks()) {
        for step in &steps {
            let TaskState::Running { phase, .. } = step.view.state else { continue };
            let over = matches!(step.event, TaskEvent::AgentEnded { .. } | TaskEvent::Lost { .. } | TaskEvent::MachineRestarted);
            if over && phase == Phase::Agent && step.view.open_questions > 0 {
                let blocked = TaskState::Blocked { on: BlockedOn::Question };
                prop_assert_eq!(after(step).0, &blocked);
                prop_assert!(after(step).1.contains(&Effect::EndExecution(Outcome::Blocked)));
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
                TaskEvent::Lost { .. } | TaskEvent::MachineRestarted => true,
                _ => false,
            };
            if over && step.view.unsaid > 0 && step.view.open_questions == 0 {
                prop_assert_eq!(after(step).0, &TaskState::queued(Start::Continue));
            }
        }
    }
}
