//! What becomes of questions in a run that nobody watches: answers that were foreseen, and what holds for the rest.

use std::{collections::BTreeSet, path::PathBuf};

use clap::{Args, ValueEnum};

use crate::{
    cli::{error::CliError, opened::Opened, sanitise},
    client::ClientError,
    foreseen::{self, Foreseen, Reply},
    ids::{QuestionNumber, TaskNumber},
    protocol::{
        operator::{AnswerRequest, AnswerText},
        query::QuestionFilter,
        report::{QuestionReport, TaskLine, TaskReport},
    },
    vocabulary::Fault,
};

/// The code of a task whose question ends the command.
pub(crate) const QUESTION: &str = "question";

/// Flags that say what becomes of questions.
#[derive(Debug, Default, Args)]
pub(crate) struct QuestionFlags {
    /// Answers to foreseen questions: YAML, by their words or by a pattern
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// What becomes of every other question: block, fail, or default, the answer that the file has for these
    #[arg(long, value_name = "WHAT", value_enum, default_value_t, hide_possible_values = true)]
    on_question: OnQuestion,
}

/// What becomes of a question that no answer was foreseen for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnQuestion {
    /// It waits for a person.
    #[default]
    Block,
    /// It waits for a person, and the command has failed.
    Fail,
    /// It gets the answer that the file of answers has for all others.
    Default,
}

impl QuestionFlags {
    /// Whether any of them was given.
    pub(super) fn is_given(&self) -> bool {
        self.answers.is_some() || self.on_question != OnQuestion::Block
    }

    /// Reads the file, or refuses it and what it lacks.
    pub(crate) fn replies(&self) -> Result<Replies, CliError> {
        let foreseen = match &self.answers {
            Some(path) => foreseen::read(path).map_err(CliError::usage)?,
            None => Foreseen::default(),
        };
        if self.on_question == OnQuestion::Default && foreseen.default_reply().is_none() {
            return Err(CliError::usage("`--on-question default` needs an answer that is the default")
                .hinted("name a file with `default: TEXT` as `--answers FILE`: callbox makes no answer up"));
        }
        Ok(Replies { foreseen, on_question: self.on_question })
    }
}

/// What was foreseen.
#[derive(Debug)]
pub(crate) struct Replies {
    foreseen: Foreseen,
    on_question: OnQuestion,
}

impl Replies {
    /// Answers each open question of the tasks with these lines that was not `met` yet and has an answer; a sentence
    /// for each that was answered or could not be.
    pub(super) async fn give(
        &self,
        met: &mut BTreeSet<QuestionNumber>,
        store: &Opened,
        lines: &[&TaskLine],
    ) -> Result<Vec<String>, ClientError> {
        let asking: BTreeSet<TaskNumber> =
            lines.iter().filter(|line| line.questions > 0).map(|line| line.number).collect();
        if asking.is_empty() {
            return Ok(Vec::new());
        }
        let mut said = Vec::new();
        for question in store.operator().questions(&QuestionFilter::default()).await? {
            let is_new = asking.contains(&question.task) && !met.contains(&question.number);
            let Some(reply) = self.reply(&question).filter(|_| is_new) else { continue };
            let request =
                AnswerRequest { answer: words(reply), environment: std::collections::BTreeMap::new() };
            match store.operator().answer(question.number, &request).await {
                Ok(reply) => {
                    said.push(format!(
                        "{} was foreseen: {}",
                        question.number,
                        sanitise::line(&reply.message)
                    ));
                }
                Err(ClientError::Refused(refusal)) => {
                    said.push(format!(
                        "the foreseen answer to {} is refused: {}",
                        question.number,
                        sanitise::line(&refusal.message)
                    ));
                }
                Err(error) => return Err(error),
            }
            met.insert(question.number);
        }
        Ok(said)
    }

    fn reply(&self, question: &QuestionReport) -> Option<&Reply> {
        let otherwise = match self.on_question {
            OnQuestion::Default => self.foreseen.default_reply(),
            OnQuestion::Block | OnQuestion::Fail => None,
        };
        self.foreseen.reply(&question.question).or(otherwise)
    }

    /// The report of a root as this command tells it: where nobody is to be asked, a tree that asks has failed.
    pub(super) fn judged(&self, mut report: TaskReport) -> TaskReport {
        let open: Vec<String> = report
            .questions
            .iter()
            .filter(|question| question.state == "open")
            .map(|question| question.number.to_string())
            .collect();
        if self.on_question == OnQuestion::Fail && report.task.state == "blocked" && !open.is_empty() {
            let message =
                format!("there is no answer to {}, and `--on-question fail` waits for none", open.join(", "));
            let hint = format!("`callbox answer {} TEXT --run` goes on all the same", open[0]);
            report.error = Some(Fault::new(QUESTION, message).hinted(hint));
        }
        report
    }
}

fn words(reply: &Reply) -> AnswerText {
    match reply {
        Reply::Text(text) => AnswerText::Text(text.clone()),
        Reply::Option(place) => AnswerText::Option(*place),
    }
}
