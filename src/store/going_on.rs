//! Who can go on with tasks that are for any agent: what their earlier runs say.

use std::collections::HashMap;

use super::{failure::Failure, fleet};
use crate::{
    database::{
        Read,
        rows::{earlier, task::TaskRow},
    },
    domain::{EarlierRun, Start, bound_to},
    ids::TaskNumber,
};

/// The earlier runs of those among some tasks that are for any agent, oldest first. The rest have no choice.
#[derive(Debug, Default)]
pub(super) struct GoingOn {
    runs: HashMap<TaskNumber, Vec<EarlierRun>>,
}

impl GoingOn {
    /// Reads what there is of `rows`: nothing where none of them is for any agent.
    pub(super) fn of<'a>(
        read: &Read<'_>,
        rows: impl IntoIterator<Item = &'a TaskRow>,
    ) -> Result<Self, Failure> {
        let open: Vec<TaskNumber> =
            rows.into_iter().filter(|row| row.spec.is_for_any()).map(|row| row.number).collect();
        let mut runs: HashMap<TaskNumber, Vec<EarlierRun>> = HashMap::new();
        for (task, run) in earlier::of_tasks(read, &open)? {
            runs.entry(task).or_default().push(run);
        }
        Ok(Self { runs })
    }

    /// The earlier runs of `task`, where it is for any agent.
    pub(super) fn earlier(&self, task: TaskNumber) -> &[EarlierRun] {
        self.runs.get(&task).map(Vec::as_slice).unwrap_or_default()
    }

    /// The agent that runs the task of `row` next, where it is for any and only one may.
    pub(super) fn only_one(&self, row: &TaskRow) -> Option<String> {
        if !row.spec.is_for_any() {
            return None;
        }
        let [only] = <[String; 1]>::try_from(fleet::candidate(row, self.earlier(row.number))?.agents).ok()?;
        Some(only)
    }

    /// The agent that `any` came to in the last run of `task`; `None` where the task names one, or no run was claimed.
    pub(super) fn picked(&self, task: TaskNumber) -> Option<&str> {
        self.earlier(task).last().map(|run| run.agent.as_str())
    }
}

/// The agents that may run the task of `row` next, should it go on.
pub(super) fn who_may(read: &Read<'_>, row: &TaskRow) -> Result<Vec<String>, Failure> {
    let going_on = GoingOn::of(read, [row])?;
    Ok(match bound_to(Start::Continue, going_on.earlier(row.number)) {
        Some(agent) => vec![agent.to_owned()],
        None => row.spec.may_go_to(),
    })
}
