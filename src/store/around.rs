//! What stands around tasks, read at once for as many as are looked at: a list of thousands is a handful of queries.

use std::collections::HashMap;

use super::{failure::Failure, going_on::GoingOn, outlook::Outlook};
use crate::{
    database::{
        Read,
        rows::{
            dependency,
            glance::{self, Glance},
            question,
            task::{self, TaskRow},
        },
    },
    domain::Circumstances,
    ids::{QuestionNumber, TaskNumber},
};

/// Everything around some tasks, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Around {
    questions: HashMap<TaskNumber, Vec<QuestionNumber>>,
    predecessors: HashMap<TaskNumber, Vec<TaskNumber>>,
    subtasks: HashMap<TaskNumber, Vec<TaskNumber>>,
    runs: HashMap<TaskNumber, Vec<Glance>>,
    going_on: GoingOn,
}

impl Around {
    /// Reads what is around the tasks of `rows`.
    pub(super) fn of(read: &Read<'_>, rows: &[TaskRow]) -> Result<Self, Failure> {
        let tasks: Vec<TaskNumber> = rows.iter().map(|row| row.number).collect();
        let tasks = tasks.as_slice();
        let runs = glance::of_tasks(read, tasks)?;
        Ok(Self {
            questions: by_task(question::open_among(read, tasks)?),
            predecessors: by_task(dependency::unmet_among(read, tasks)?),
            subtasks: by_task(task::open_children_among(read, tasks)?),
            runs: by_task(runs.into_iter().map(|run| (run.task, run)).collect()),
            going_on: GoingOn::of(read, rows)?,
        })
    }

    /// What stands around the task of `row`, which is one of them.
    pub(super) fn circumstances(&self, row: &TaskRow, outlook: &Outlook) -> Circumstances {
        Circumstances {
            task: row.number,
            state: row.state.clone(),
            questions: among(&self.questions, row.number).to_vec(),
            predecessors: among(&self.predecessors, row.number).to_vec(),
            subtasks: among(&self.subtasks, row.number).to_vec(),
            hold: outlook.hold(row, self.going_on.earlier(row.number)),
            served: outlook.serves(row),
            unbound_until: self.runs(row.number).last().and_then(|run| run.unbound_until),
            agent: self.going_on.only_one(row).unwrap_or_else(|| row.spec.agent.clone()),
            picked: self.picked(row.number).map(str::to_owned),
        }
    }

    /// The agent that `any` came to in the last run of `task`, where it asked for any.
    pub(super) fn picked(&self, task: TaskNumber) -> Option<&str> {
        self.going_on.picked(task)
    }

    /// The executions of `task`, oldest first.
    pub(super) fn runs(&self, task: TaskNumber) -> &[Glance] {
        among(&self.runs, task)
    }

    /// The questions of `task` without an answer.
    pub(super) fn questions(&self, task: TaskNumber) -> &[QuestionNumber] {
        among(&self.questions, task)
    }
}

fn by_task<T>(pairs: Vec<(TaskNumber, T)>) -> HashMap<TaskNumber, Vec<T>> {
    let mut found: HashMap<TaskNumber, Vec<T>> = HashMap::new();
    for (task, thing) in pairs {
        found.entry(task).or_default().push(thing);
    }
    found
}

fn among<T>(found: &HashMap<TaskNumber, Vec<T>>, task: TaskNumber) -> &[T] {
    found.get(&task).map(Vec::as_slice).unwrap_or_default()
}
