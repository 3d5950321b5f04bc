//! Whether what an ended task left on the disk may go.

use crate::ids::{ExecutionNumber, TaskNumber};

use super::TaskState;

/// What a decision about the remains of a task sees.
#[derive(Debug, Clone, PartialEq)]
pub struct RemainsView {
    /// Where the task stands.
    pub state: TaskState,
    /// Its questions without an answer.
    pub open_questions: u32,
    /// A subtask of it that has not ended: it starts from its parent's sandbox.
    pub open_subtask: Option<TaskNumber>,
    /// An execution of it whose supervisor was not seen to end.
    pub supervised: Option<ExecutionNumber>,
}

/// Why what a task left must stay, whatever it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Needed {
    /// The task has not ended.
    #[error("the task is {0} and can still go on")]
    GoesOn(&'static str),
    /// A person may still answer.
    #[error("a question of the task is still open")]
    Asks,
    /// Its subtask may still need it.
    #[error("its subtask {0} has not ended")]
    Subtask(TaskNumber),
    /// Its last run is not gone.
    #[error("its run {0} is still being ended")]
    Supervised(ExecutionNumber),
}

/// Whether nobody will need what the task of `view` left.
pub fn may_go(view: &RemainsView) -> Result<(), Needed> {
    match (&view.state, view.supervised, view.open_subtask) {
        (state, _, _) if !state.is_end() => Err(Needed::GoesOn(state.name())),
        (_, Some(execution), _) => Err(Needed::Supervised(execution)),
        (_, _, Some(subtask)) => Err(Needed::Subtask(subtask)),
        _ if view.open_questions > 0 => Err(Needed::Asks),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{BlockedOn, End, Phase, Start, Wait};
    use crate::{ids::Timestamp, vocabulary::Fault};

    fn of(state: TaskState) -> RemainsView {
        RemainsView { state, open_questions: 0, open_subtask: None, supervised: None }
    }

    #[test]
    fn what_a_task_left_that_can_still_go_on_is_needed() {
        let execution = ExecutionNumber::new(1);
        for state in [
            TaskState::Pending,
            TaskState::queued(Start::Fresh),
            TaskState::Queued { wait: Wait::RateLimit { until: Timestamp::now() }, start: Start::Continue },
            TaskState::Running { execution, phase: Phase::Agent },
            TaskState::Running { execution, phase: Phase::Delivering },
            TaskState::Keeping { execution, end: End::Cancelled },
            TaskState::Blocked { on: BlockedOn::Question },
            TaskState::Blocked { on: BlockedOn::Subtasks },
            TaskState::Ready,
        ] {
            let name = state.name();
            assert_eq!(may_go(&of(state)), Err(Needed::GoesOn(name)));
        }
    }

    #[test]
    fn what_an_ended_task_left_may_go_once_nobody_else_needs_it() {
        let ends = [
            End::Completed,
            End::Cancelled,
            End::Failed { fault: Fault::new("verify", "no") },
            End::TimedOut { fault: Fault::new("timed_out", "no") },
        ];
        for end in ends {
            let ended = of(TaskState::Ended { end });
            assert_eq!(may_go(&ended), Ok(()));
            let (subtask, execution) = (TaskNumber::new(2), ExecutionNumber::new(3));
            let needed = [
                (RemainsView { open_questions: 1, ..ended.clone() }, Needed::Asks),
                (RemainsView { open_subtask: Some(subtask), ..ended.clone() }, Needed::Subtask(subtask)),
                (RemainsView { supervised: Some(execution), ..ended }, Needed::Supervised(execution)),
            ];
            for (view, reason) in needed {
                assert_eq!(may_go(&view), Err(reason));
            }
        }
    }
}
