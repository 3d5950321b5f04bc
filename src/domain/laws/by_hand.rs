//! Runs of agents that a person started where no process of callbox's is with them.

use proptest::prelude::*;

use super::walks::{after, walks};
use crate::{
    domain::*,
    vocabulary::{ClosedBy, Ending, SummaryOutcome},
};

fn is_unbound(state: &TaskState) -> bool {
    matches!(state, TaskState::Running { phase: Phase::Unbound, .. })
}

proptest! {
    #[test]
    fn an_unbound_run_begins_by_being_opened_and_ends_only_by_a_person_or_its_time(steps in walks()) {
        for step in &steps {
            match (is_unbound(&step.view.state), is_unbound(after(step).0)) {
                (false, true) => prop_assert!(matches!(step.event, TaskEvent::Opened { .. }), "{step:?}"),
                (true, false) => {
                    let by = matches!(
                        step.event,
                        TaskEvent::Closed { .. } | TaskEvent::Cancel | TaskEvent::Kill
                    );
                    prop_assert!(by, "{step:?}");
                }
                (true, true) => prop_assert_eq!(&step.view.state, after(step).0),
                (false, false) => {}
            }
        }
    }

    #[test]
    fn only_an_unbound_run_can_be_closed(steps in walks()) {
        for step in &steps {
            if matches!(step.event, TaskEvent::Closed { .. }) {
                prop_assert_eq!(step.decision.is_ok(), is_unbound(&step.view.state), "{:?}", step);
            }
        }
    }

    #[test]
    fn no_supervisor_closes_a_run_or_reports_the_end_of_an_unbound_one(steps in walks()) {
        for step in &steps {
            for by in [ClosedBy::Person, ClosedBy::Time] {
                let reported = Some(SummaryOutcome::Done);
                let closed = TaskEvent::AgentEnded { ending: Box::new(Ending::closed(by)), reported };
                prop_assert!(decide(&step.view, &closed).is_err(), "{step:?}");
            }
            if is_unbound(&step.view.state) && matches!(step.event, TaskEvent::AgentEnded { .. }) {
                prop_assert!(step.decision.is_err(), "{step:?}");
            }
        }
    }

    #[test]
    fn a_closed_run_is_no_success_unless_its_agent_reported_one(steps in walks()) {
        for step in &steps {
            let TaskEvent::Closed { by, reported } = step.event else { continue };
            let (state, effects) = after(step);
            if !is_unbound(&step.view.state) {
                continue;
            }
            let good = matches!(reported, Some(SummaryOutcome::Done | SummaryOutcome::Partial));
            if effects.contains(&Effect::EndExecution(Outcome::Succeeded)) || state.is_completed() {
                prop_assert!(good, "{step:?}");
            }
            if step.view.open_questions > 0 {
                prop_assert_eq!(state, &TaskState::Blocked { on: BlockedOn::Question });
            } else if step.view.unsaid > 0 {
                prop_assert_eq!(state, &TaskState::queued(Start::Continue));
            } else if !good {
                let timed_out = by == ClosedBy::Time && reported.is_none();
                let name = state.decided_end().map(End::name);
                prop_assert_eq!(name, Some(if timed_out { "timed_out" } else { "failed" }), "{:?}", step);
            }
        }
    }

    #[test]
    fn what_was_done_in_the_persons_own_directory_is_not_handed_over(steps in walks()) {
        for step in &steps {
            if step.view.by_hand {
                prop_assert!(!after(step).1.contains(&Effect::BeginDelivery), "{step:?}");
            }
        }
    }

    #[test]
    fn nobody_is_told_to_end_the_agent_of_an_unbound_run(steps in walks()) {
        for step in &steps {
            let told = matches!(
                after(step).0,
                TaskState::Running { phase: Phase::Stopping { .. } | Phase::Killing { .. }, .. }
            );
            prop_assert!(!(is_unbound(&step.view.state) && told), "{step:?}");
        }
    }
}
