//! Gives rows from elsewhere the numbers that they have here. What agents and people were told is left as it was said.

use std::{collections::BTreeMap, path::PathBuf};

use crate::{
    database::rows::tree::Rows,
    domain::Unsaid,
    ids::{ExecutionNumber, QuestionNumber, TaskNumber},
};

/// The numbers here by those there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) tasks: BTreeMap<TaskNumber, TaskNumber>,
    pub(super) executions: BTreeMap<ExecutionNumber, ExecutionNumber>,
    pub(super) questions: BTreeMap<QuestionNumber, QuestionNumber>,
}

/// The numbers for `there`, in its order: the same where none was given here that is as high, else those behind `last`.
pub(super) fn numbered<N: Copy + Ord>(
    there: impl Iterator<Item = N> + Clone,
    last: u64,
    (value, make): (impl Fn(N) -> i64, impl Fn(i64) -> N),
) -> BTreeMap<N, N> {
    let last = i64::try_from(last).unwrap_or(i64::MAX);
    if there.clone().all(|number| value(number) > last) {
        return there.map(|number| (number, number)).collect();
    }
    there.zip(1..).map(|(number, place)| (number, make(last.saturating_add(place)))).collect()
}

/// The same rows under the numbers of here. Each number in them must be one of `numbers`.
pub(super) fn renumber(mut rows: Rows, numbers: &Numbers) -> Rows {
    let task = |number: TaskNumber| numbers.tasks.get(&number).copied().unwrap_or(number);
    let run = |number: ExecutionNumber| numbers.executions.get(&number).copied().unwrap_or(number);
    let question = |number: QuestionNumber| numbers.questions.get(&number).copied().unwrap_or(number);
    for row in &mut rows.tasks {
        row.swept_executions = row.swept_executions.map(run);
        row.number = task(row.number);
        row.parent = row.parent.map(task);
        row.root = task(row.root);
        if let (Some(base), Some(parent)) = (&mut row.spawn_base, row.parent) {
            base.sandbox = moved(&base.sandbox, "sandboxes", parent.value());
        }
    }
    for dependency in &mut rows.dependencies {
        dependency.task = task(dependency.task);
        dependency.predecessor = task(dependency.predecessor);
    }
    for row in &mut rows.executions {
        row.number = run(row.number);
        row.task = task(row.task);
        row.sandbox = row.sandbox.as_ref().map(|path| moved(path, "sandboxes", row.task.value()));
        let patch = row.details.delivery.as_mut().and_then(|delivery| delivery.patch.as_mut());
        if let Some(patch) = patch {
            *patch = moved(patch, "executions", row.number.value());
        }
    }
    for row in &mut rows.signals {
        row.execution = run(row.execution);
    }
    for row in &mut rows.questions {
        row.number = question(row.number);
        row.task = task(row.task);
        row.execution = run(row.execution);
    }
    for row in &mut rows.messages {
        row.task = task(row.task);
        row.question = row.question.map(question);
        row.subtask = row.subtask.map(task);
        row.carried_by = row.carried_by.map(run);
        row.handed_by = row.handed_by.map(run);
        if let Unsaid::Report { task: reported, .. } = &mut row.unsaid {
            *reported = task(*reported);
        }
    }
    rows
}

/// `path` with `number` in the place of the number behind `folder`.
fn moved(path: &std::path::Path, folder: &str, number: i64) -> PathBuf {
    let rest = path.components().skip(2);
    [folder.to_owned(), number.to_string()]
        .into_iter()
        .map(PathBuf::from)
        .chain(rest.map(|part| part.as_os_str().into()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(there: &[i64], last: u64) -> Vec<i64> {
        let numbers = there.iter().copied().map(TaskNumber::new);
        let given = numbered(numbers, last, (TaskNumber::value, TaskNumber::new));
        given.into_values().map(TaskNumber::value).collect()
    }

    #[test]
    fn numbers_stay_where_none_was_given_that_is_as_high_and_else_go_on_behind() {
        assert_eq!(tasks(&[3, 4, 9], 0), [3, 4, 9]);
        assert_eq!(tasks(&[3, 4, 9], 2), [3, 4, 9]);
        assert_eq!(tasks(&[3, 4, 9], 3), [4, 5, 6]);
        assert_eq!(tasks(&[3, 4, 9], 40), [41, 42, 43]);
    }

    #[test]
    fn a_path_keeps_all_but_its_number() {
        assert_eq!(moved("sandboxes/3/2".as_ref(), "sandboxes", 7), PathBuf::from("sandboxes/7/2"));
        let patch = moved("executions/3/work.patch".as_ref(), "executions", 7);
        assert_eq!(patch, PathBuf::from("executions/7/work.patch"));
    }
}
