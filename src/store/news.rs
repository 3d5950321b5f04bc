//! What those who follow a task are told, recorded with what it is about.

use super::{failure::Failure, transition::Occasion};
use crate::{
    database::{
        Write,
        rows::{event, execution::ExecutionRow},
    },
    ids::{ExecutionNumber, TaskNumber},
};

/// What happened, and to what.
#[derive(Debug, Clone, Copy)]
pub(super) struct News {
    task: TaskNumber,
    execution: Option<ExecutionNumber>,
    kind: &'static str,
}

impl News {
    /// Of a task as a whole.
    pub(super) fn of_task(task: TaskNumber, kind: &'static str) -> Self {
        Self { task, execution: None, kind }
    }

    /// Of one of its executions.
    pub(super) fn of_run(run: &ExecutionRow, kind: &'static str) -> Self {
        Self { task: run.task, execution: Some(run.number), kind }
    }

    /// Of a task and the execution at hand, where one is.
    pub(super) fn of(task: TaskNumber, execution: Option<ExecutionNumber>, kind: &'static str) -> Self {
        Self { task, execution, kind }
    }

    /// Records it: `text` is a sentence or an agent's words.
    pub(super) fn tell(self, write: &mut Write<'_>, text: &str, occasion: &Occasion) -> Result<(), Failure> {
        let Self { task, execution, kind } = self;
        let actor = occasion.actor.as_deref();
        let event = event::NewEvent { task, execution, kind, text, actor };
        Ok(event::insert(write, event, occasion.now)?)
    }
}
