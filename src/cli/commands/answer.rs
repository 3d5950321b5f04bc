//! `callbox answer`.

use std::str::FromStr;

use clap::Args;

use crate::{
    cli::{
        context::Context,
        error::{CliError, ErrorKind},
        exit::ExitStatus,
        gather,
        going_on::{Begun, GoingOn},
        opened::Opened,
        sanitise,
    },
    ids::{ParseNumberError, QuestionNumber, TaskNumber},
    protocol::{
        operator::{AnswerRequest, AnswerText},
        query::QuestionChoice,
        report::QuestionReport,
    },
};

/// Flags of `callbox answer`.
#[derive(Debug, Args)]
pub(crate) struct Answer {
    /// A question such as q7, or a task with exactly one open question
    #[arg(value_name = "ID")]
    to: To,
    /// The answer: the words themselves, or - for stdin. Never a secret: answers are stored
    #[arg(value_name = "TEXT", allow_hyphen_values = true, required_unless_present = "option")]
    text: Option<String>,
    /// The answer at this place among the options, from 1
    #[arg(long, value_name = "N", conflicts_with = "text")]
    option: Option<usize>,
    #[command(flatten)]
    going_on: GoingOn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum To {
    Question(QuestionNumber),
    Task(TaskNumber),
}

impl FromStr for To {
    type Err = ParseNumberError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(task) if text.starts_with('t') => Ok(Self::Task(task)),
            _ => text.parse().map(Self::Question),
        }
    }
}

impl Answer {
    /// Answers the question; with `--run` its task goes on here.
    pub(crate) async fn run(self, context: &Context) -> Result<ExitStatus, CliError> {
        let begun = Begun::now()?;
        let request =
            AnswerRequest { answer: self.words()?, environment: self.going_on.environment(context)? };
        let mut store = Opened::open(context).await?;
        let question = self.question(&mut store).await;
        let (mut store, question) = store.or_close(question).await?;
        let reply = store.act(async |operator| operator.answer(question, &request).await).await;
        let (store, reply) = store.or_close(reply).await?;
        let say = || context.answer(&reply, |reply| sanitise::line(&reply.message) + "\n");
        self.going_on.go_on(store, reply.task, begun, context, say).await
    }

    fn words(&self) -> Result<AnswerText, CliError> {
        match (self.option, &self.text) {
            (Some(place), _) => Ok(AnswerText::Option(place)),
            (None, Some(text)) => Ok(AnswerText::Text(gather::words(text)?)),
            (None, None) => Err(CliError::usage("there is no answer").hinted("give one, or `--option N`")),
        }
    }

    async fn question(&self, store: &mut Opened) -> Result<QuestionNumber, CliError> {
        match self.to {
            To::Question(question) => Ok(question),
            To::Task(task) => {
                let open =
                    store.look(async |operator| operator.questions(QuestionChoice::Open).await).await?;
                only(task, &open)
            }
        }
    }
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
        assert_eq!("q7".parse(), Ok(To::Question(QuestionNumber::new(7))));
        assert_eq!("7".parse(), Ok(To::Question(QuestionNumber::new(7))));
        assert_eq!("t7".parse(), Ok(To::Task(TaskNumber::new(7))));
        assert!("x7".parse::<To>().is_err());
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
