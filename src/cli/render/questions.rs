//! `callbox questions`: the inbox.

use std::fmt::Write as _;

use super::{
    amounts::ago,
    style::{Tone, paint},
};
use crate::{cli::sanitise, ids::Timestamp, protocol::report::QuestionReport};

/// Said wherever a person may answer: an answer goes into the database and to a provider.
pub(super) const NO_SECRETS: &str = "never answer with a secret: answers are stored";

/// Every question with its task, its options, and the command that answers it.
pub(crate) fn questions(questions: &[QuestionReport], now: Timestamp) -> String {
    if questions.is_empty() {
        return "no open questions\n".to_owned();
    }
    let mut text = String::new();
    for report in questions {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", heading(report, now));
        text.push_str(&question(report, HowToAnswer::Said, 2));
        text.push('\n');
    }
    if questions.iter().any(is_open) {
        let _ = writeln!(text, "{}", paint(Tone::Care, NO_SECRETS));
    }
    text
}

/// Whether a question says which command answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HowToAnswer {
    /// Below it.
    Said,
    /// Something else on the page does.
    Unsaid,
}

/// The question itself, its context, its options and either its answer or how to give one; every line
/// begins with `indent` spaces.
pub(super) fn question(report: &QuestionReport, how: HowToAnswer, indent: usize) -> String {
    let mut lines = Vec::new();
    lines.extend(sanitise::text(&report.question).lines().map(str::to_owned));
    for (place, option) in report.options.iter().enumerate() {
        lines.push(format!("  {}  {}", place + 1, sanitise::line(option)));
    }
    if let Some(context) = &report.context {
        lines.extend(sanitise::text(context).lines().map(|line| paint(Tone::Faint, line)));
    }
    match &report.answer {
        Some(answer) => lines.push(format!("answer: {}", sanitise::line(answer))),
        None if is_open(report) && how == HowToAnswer::Unsaid => {}
        None if is_open(report) => lines.push(how_to_answer(report)),
        None => lines.push(sanitise::line(&report.state)),
    }
    let space = " ".repeat(indent);
    lines.iter().fold(String::new(), |text, line| text + &space + line + "\n")
}

pub(super) fn is_open(report: &QuestionReport) -> bool {
    report.state == "open"
}

fn heading(report: &QuestionReport, now: Timestamp) -> String {
    let project =
        report.project.as_ref().map(|project| format!(", {}", sanitise::line(&project.to_string_lossy())));
    let asked = match ago(report.asked_at, now).as_str() {
        "now" => "just now".to_owned(),
        age => format!("{age} ago"),
    };
    format!(
        "{} of {} {}{}, {asked}",
        paint(Tone::Care, &report.number.to_string()),
        paint(Tone::Name, &report.task.to_string()),
        sanitise::line(&report.task_name),
        project.unwrap_or_default(),
    )
}

fn how_to_answer(report: &QuestionReport) -> String {
    let answer = if report.options.is_empty() { "TEXT" } else { "--option N" };
    format!("answer it: {}", paint(Tone::Name, &format!("callbox answer {} {answer}", report.number)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::render::samples;

    #[test]
    fn every_question_stands_with_its_task_and_the_warning() {
        let now = Timestamp::from_millis(samples::START + 200_000);
        let printed = anstream::adapter::strip_str(&questions(&samples::questions(), now)).to_string();
        insta::assert_snapshot!(printed, @"
        q1 of t1 greet, /home/ada/greeter, 3 min ago
          Which language comes first?
            1  Latin
            2  Greek
          The README names both.
          answer it: callbox answer q1 --option N

        never answer with a secret: answers are stored
        ");
    }

    #[test]
    fn no_questions_are_said_in_words() {
        assert_eq!(questions(&[], Timestamp::from_millis(0)), "no open questions\n");
    }
}
