//! The result as a page of a CI service: what came of each tree, and what to do now.

use super::markdown::{block, span, table};
use crate::{
    cli::{next, records::body::facts},
    protocol::report::{QuestionReport, TaskReport},
};

/// The page.
pub(super) fn summary(reports: &[TaskReport]) -> String {
    reports.iter().map(one).collect::<Vec<_>>().join("\n")
}

fn one(report: &TaskReport) -> String {
    let head = &report.task;
    let mark = match head.state.as_str() {
        "completed" | "ready" => "✅",
        "blocked" | "pending" | "queued" | "running" => "⏸",
        _ => "❌",
    };
    let wait = head.wait.as_ref().map(|wait| format!(", waits for {}", span(wait)));
    let mut page = vec![format!(
        "### {mark} {} {}: {}{}\n\n",
        head.number,
        span(&head.name),
        head.state.replace('_', " "),
        wait.unwrap_or_default()
    )];
    if let Some(fault) = &report.error {
        page.push(format!("**{}**\n\n{}\n", span(&fault.code), block(&fault.message)));
        page.extend(fault.hint.iter().map(|hint| format!("{}\n\n", span(hint))));
    }
    if let Some(summary) = &report.summary {
        page.push(format!("{}\n", block(summary)));
    }
    for question in report.questions.iter().filter(|question| question.state == "open") {
        let QuestionReport { number, task, question: words, options, .. } = question;
        page.push(format!("**{task}** asks, as {number}:\n\n{}", block(words)));
        let option = |(place, option): (usize, &String)| format!("{}. {}\n", place + 1, span(option));
        page.extend(options.iter().enumerate().map(option));
        page.push("\n".to_owned());
    }
    page.push(table(&facts(report)));
    let steps = next::steps(report);
    if !steps.is_empty() {
        page.push("\n".to_owned());
        let line = |step: &next::Step| format!("- {} {}\n", span(&step.command), step.purpose);
        page.extend(steps.iter().map(line));
    }
    page.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::render::samples;

    #[test]
    fn each_end_has_its_page() {
        insta::assert_snapshot!(summary(&[samples::completed(), samples::failed(), samples::blocked()]));
    }
}
