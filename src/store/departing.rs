//! What goes along when tasks leave for another state directory. They stay here as well.

use std::collections::BTreeSet;

use super::failure::Failure;
use crate::{
    database::{
        Read,
        rows::{
            dependency,
            execution::{self, ExecutionRow},
            task::{self, TaskRow},
            tree,
        },
    },
    domain::TaskState,
    ids::TaskNumber,
    layout::StateDir,
    protocol::{
        error::{ApiError, ErrorCode},
        travel::{Departing, ExportReply},
    },
};

/// The rows of `named`, of their trees and of all that they come after. Refused while one of them runs, or where only a
/// person's own directory holds its work.
pub(super) fn depart(
    read: &Read<'_>,
    state: &StateDir,
    named: &[TaskNumber],
) -> Result<ExportReply, Failure> {
    let numbers = closure(read, named)?;
    let rows = tree::of_tasks(read, &numbers)?;
    let supervised: BTreeSet<TaskNumber> =
        execution::unsettled(read)?.into_iter().map(|run| run.task).collect();
    for row in &rows.tasks {
        let runs = rows.executions.iter().filter(|run| run.task == row.number);
        if let Some((reason, hint)) = hindrance(row, runs, &supervised) {
            let message = format!("`{}` cannot go along: {reason}", row.number);
            return Err(ApiError::new(ErrorCode::Refused, message).hinted(hint).into());
        }
    }
    let departing = rows.tasks.iter().map(|row| {
        let run = going_on_from(row, rows.executions.iter().filter(|run| run.task == row.number));
        Departing {
            number: row.number,
            id: row.id,
            name: row.spec.name.clone(),
            state: row.state.name().to_owned(),
            agent: run.map_or_else(|| row.spec.agent.clone(), |run| run.details.agent.clone()),
            project: row.spec.project.clone(),
            sandbox: run.and_then(|run| run.sandbox.as_ref()).map(|path| state.resolve(path)),
            session: run.and_then(|run| run.session.clone()),
        }
    });
    let tasks = departing.collect();
    let rows = serde_json::to_value(&rows)
        .map_err(|error| Failure::refused(ErrorCode::Internal, format!("the rows are no JSON: {error}")))?;
    Ok(ExportReply { rows, tasks })
}

fn closure(read: &Read<'_>, named: &[TaskNumber]) -> Result<Vec<TaskNumber>, Failure> {
    let mut found = BTreeSet::new();
    let mut left = named.to_vec();
    while let Some(number) = left.pop() {
        if found.contains(&number) {
            continue;
        }
        let row = task::get(read, number)?.ok_or_else(|| Failure::unknown(number))?;
        for row in task::tree(read, row.root)? {
            found.insert(row.number);
            left.extend(dependency::predecessors(read, row.number)?);
        }
    }
    Ok(found.into_iter().collect())
}

fn hindrance<'r>(
    row: &TaskRow,
    mut runs: impl Iterator<Item = &'r ExecutionRow>,
    supervised: &BTreeSet<TaskNumber>,
) -> Option<(&'static str, String)> {
    let running = matches!(row.state, TaskState::Running { .. } | TaskState::Keeping { .. });
    if running || supervised.contains(&row.number) {
        let number = row.number;
        return Some((
            "it is running",
            format!("wait until it has ended its turn, or end it with `callbox cancel {number}`"),
        ));
    }
    let by_hand = |run: &ExecutionRow| {
        run.sandbox.as_ref().is_some_and(|path| path.is_absolute()) || run.details.by_hand
    };
    runs.any(by_hand).then(|| {
        ("a person began it by hand, in a directory of their own", "leave it and its tree out".to_owned())
    })
}

/// The run in whose sandbox, and with whose conversation where there is one, another would go on.
pub(super) fn going_on_from<'r>(
    row: &TaskRow,
    runs: impl DoubleEndedIterator<Item = &'r ExecutionRow> + Clone,
) -> Option<&'r ExecutionRow> {
    let conversation = runs.clone().rev().find(|run| run.session.is_some() && run.sandbox.is_some());
    let last = conversation.or_else(|| runs.rev().find(|run| run.sandbox.is_some()));
    last.filter(|run| !row.is_swept(run.number))
}
