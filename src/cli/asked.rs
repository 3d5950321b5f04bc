//! Which question a person means: the question itself, or a task with exactly one.

use std::str::FromStr;

use super::{
    error::{CliError, ErrorKind},
    opened::Opened,
};
use crate::{
    ids::{ParseNumberError, QuestionNumber, TaskNumber},
    protocol::{
        query::{QuestionChoice, QuestionFilter},
        report::QuestionReport,
    },
};

/// A question such as q7, or a task with exactly one open question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Question(QuestionNumber),
    Task(TaskNumber),
}

impl FromStr for Asked {
    type Err = ParseNumberError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(task) if text.starts_with('t') => Ok(Self::Task(task)),
            _ => text.parse().map(Self::Question),
        }
    }
}

impl Asked {
    /// The question.
    pub(crate) async fn question(self, store: &mut Opened) -> Result<QuestionNumber, CliError> {
        match self {
            Self::Question(question) => Ok(question),
            Self::Task(task) => {
                let filter = QuestionFilter { task: Some(task), ..QuestionFilter::default() };
                let open = store.look(async |operator| operator.questions(&filter).await).await?;
                only(task, &open)
            }
        }
    }
}

/// Whose `question` is.
pub(crate) async fn task_of(question: QuestionNumber, store: &mut Opened) -> Result<TaskNumber, CliError> {
    let filter = QuestionFilter { state: QuestionChoice::All, ..QuestionFilter::default() };
    let all = store.look(async |operator| operator.questions(&filter).await).await?;
    let found = all.iter().find(|asked| asked.number == question).map(|asked| asked.task);
    found.ok_or_else(|| {
        CliError::new(ErrorKind::Refused, format!("there is no `{question}` in this state directory"))
            .hinted("`callbox questions --all` lists them")
    })
}

/// The one open question of `task`.
fn only(task: TaskNumber, open: &[QuestionReport]) -> Result<QuestionNumber, CliError> {
    let of_task: Vec<QuestionNumber> =
        open.iter().filter(|question| question.task == task).map(|question| question.number).collect();
    match of_task[..] {
        [question] => Ok(question),
        [] => Err(CliError::new(ErrorKind::Refused, format!("`{task}` has no open question"))
            .hinted("`callbox questions` lists those there are")),
        _ => {
            let names: Vec<String> = of_task.iter().map(QuestionNumber::to_string).collect();
            Err(CliError::new(ErrorKind::Refused, format!("`{task}` has several open questions"))
                .hinted(format!("answer each by its number: {}", names.join(", "))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::render::samples;

    #[test]
    fn an_id_is_a_question_unless_it_says_that_it_is_a_task() {
        assert_eq!("q7".parse(), Ok(Asked::Question(QuestionNumber::new(7))));
        assert_eq!("7".parse(), Ok(Asked::Question(QuestionNumber::new(7))));
        assert_eq!("t7".parse(), Ok(Asked::Task(TaskNumber::new(7))));
        assert!("x7".parse::<Asked>().is_err());
    }

    #[test]
    fn a_task_stands_for_its_question_only_if_it_has_exactly_one() {
        let task = TaskNumber::new(1);
        let mut open = samples::questions();
        assert_eq!(only(task, &open).unwrap(), QuestionNumber::new(1));
        assert_eq!(only(TaskNumber::new(2), &open).unwrap_err().status().code(), 1);
        open.extend(samples::questions());
        assert!(only(task, &open).unwrap_err().to_string().contains("q1, q1"));
    }
}
