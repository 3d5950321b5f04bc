//! Queues new tasks, all or none.

use super::{
    failure::Failure,
    health,
    news::News,
    transition::{Occasion, fail_without_predecessors},
};
use crate::{
    database::{
        Write,
        rows::{dependency, task},
    },
    domain::{Author, Start, TaskState},
    ids::TaskNumber,
    protocol::{
        error::{ApiError, ErrorCode},
        operator::{After, Hold, NewTask},
    },
    vocabulary::{ANY, Deliver, TaskSpec},
};

/// Tasks in one request.
const MAX_TASKS: usize = 1000;
/// Characters of instructions.
const MAX_INSTRUCTIONS: usize = 200_000;
/// Characters of a name.
const MAX_NAME: usize = 200;

/// Stores `tasks` and returns their numbers in the same order.
pub(super) fn submit(
    write: &mut Write<'_>,
    tasks: Vec<NewTask>,
    hold: Hold,
    occasion: &Occasion,
) -> Result<Vec<TaskNumber>, Failure> {
    if tasks.is_empty() || tasks.len() > MAX_TASKS {
        let message = format!("`tasks` holds {} tasks; 1 to {MAX_TASKS} are taken", tasks.len());
        return Err(Failure::refused(ErrorCode::Invalid, message));
    }
    let mut numbers = Vec::with_capacity(tasks.len());
    for (place, new) in tasks.into_iter().enumerate() {
        check(place, &new.spec)?;
        let after = predecessors(write, place, &new.after, &numbers)?;
        let row = task::NewTaskRow {
            spec: new.spec,
            parent: None,
            author: Author::Person,
            spawn_base: None,
            variables: Vec::new(),
            state: match hold {
                Hold::No => TaskState::queued(Start::Fresh),
                Hold::Yes => TaskState::Pending,
            },
            at: occasion.now,
        };
        let number = task::insert(write, &row)?;
        dependency::insert(write, number, &after)?;
        News::of_task(number, "state").tell(write, row.state.name(), occasion)?;
        if hold == Hold::No {
            for agent in row.spec.may_go_to() {
                health::perhaps_mended(write, &agent, occasion.now)?;
            }
            let row = task::get(write, number)?.ok_or_else(|| Failure::unknown(number))?;
            fail_without_predecessors(write, &row, occasion)?;
        }
        numbers.push(number);
    }
    Ok(numbers)
}

/// Refuses what no task can be; `place` counts from 0.
pub(super) fn check(place: usize, spec: &TaskSpec) -> Result<(), Failure> {
    let fault = |field: &str, why: String| {
        let error = ApiError::new(ErrorCode::Invalid, format!("task {}: `{field}` {why}", place + 1));
        Failure::Refused(error)
    };
    let length = |text: &str| text.chars().count();
    if spec.instructions.trim().is_empty() || length(&spec.instructions) > MAX_INSTRUCTIONS {
        return Err(fault("instructions", format!("must have 1 to {MAX_INSTRUCTIONS} characters")));
    }
    if spec.name.is_empty() || length(&spec.name) > MAX_NAME || spec.name.chars().any(char::is_control) {
        return Err(fault("name", format!("must be one line of 1 to {MAX_NAME} characters")));
    }
    if spec.project.as_ref().is_some_and(|path| !path.is_absolute()) {
        return Err(fault("project", "must be an absolute path".to_owned()));
    }
    if spec.is_for_any() && spec.agents.is_empty() {
        return Err(fault("agents", format!("must name those that `{ANY}` may stand for")));
    }
    if spec.retry.max_attempts == 0 {
        return Err(fault("retry", "must allow at least one attempt".to_owned()));
    }
    if spec.verify.as_ref().is_some_and(|command| command.trim().is_empty()) {
        return Err(fault("verify", "must be a command".to_owned()));
    }
    if spec.deliver == Deliver::Merge && (spec.merge_into.is_none() || spec.project.is_none()) {
        let why = "needs a `project` and the branch `merge_into`".to_owned();
        return Err(fault("deliver", why));
    }
    if spec.require_changes && spec.project.is_none() {
        return Err(fault(
            "require_changes",
            "needs a `project`: without one nothing can be changed".to_owned(),
        ));
    }
    Ok(())
}

fn predecessors(
    write: &Write<'_>,
    place: usize,
    after: &[After],
    earlier: &[TaskNumber],
) -> Result<Vec<TaskNumber>, Failure> {
    after
        .iter()
        .map(|after| match after {
            After::Task(number) => {
                let found = task::get(write, *number)?;
                found.map(|row| row.number).ok_or_else(|| Failure::unknown(*number))
            }
            After::Place(other) => earlier.get(*other).copied().ok_or_else(|| {
                let message = format!("task {}: `after` must name an earlier task", place + 1);
                Failure::refused(ErrorCode::Invalid, message)
            }),
        })
        .collect()
}
