//! The body of a pull request: what was asked for, what came of it, and what a reviewer should know.

use std::time::Duration;

use super::markdown::{block, span, table};
use crate::{
    cli::render::length,
    protocol::report::{QuestionReport, TaskReport, VerifyReport},
    vocabulary::{Delivery, Denial, Exit},
};

/// The body for the work of all trees.
pub(super) fn body(reports: &[TaskReport]) -> String {
    reports.iter().map(one).collect::<Vec<_>>().join("\n---\n\n")
}

fn one(report: &TaskReport) -> String {
    let mut page = Vec::new();
    if let Some(summary) = &report.summary {
        page.push(format!("{}\n", block(summary)));
    }
    page.push(table(&facts(report)));
    let questions = &report.questions;
    if !questions.is_empty() {
        page.push("\n#### Questions and answers\n\n".to_owned());
        page.push(questions.iter().map(asked).collect::<Vec<_>>().join("\n"));
    }
    page.push(format!(
        "\n<details><summary>What was asked for</summary>\n\n{}\n</details>\n",
        block(&report.instructions)
    ));
    page.concat()
}

fn asked(question: &QuestionReport) -> String {
    let answer = match (&question.answer, question.state.as_str()) {
        (Some(answer), _) => format!("Answer:\n\n{}", block(answer)),
        (None, "open") => "Not answered yet.\n".to_owned(),
        (None, _) => "Withdrawn.\n".to_owned(),
    };
    format!("{} of {}:\n\n{}\n{answer}", question.number, question.task, block(&question.question))
}

/// What is known of a tree, in rows.
pub(super) fn facts(report: &TaskReport) -> Vec<(&'static str, String)> {
    let head = &report.task;
    let mut rows =
        vec![("task", format!("{} {}: {}", head.number, span(&head.name), head.state.replace('_', " ")))];
    if let Some(run) = &report.execution {
        let words = [Some(&run.agent), run.agent_version.as_ref(), run.model.as_ref()];
        let words: Vec<String> = words.into_iter().flatten().map(|word| span(word)).collect();
        rows.push(("agent", words.join(" ")));
    }
    rows.extend(
        report.delivery.iter().map(|delivery| ("work", delivered(delivery, report.merged_into.as_deref()))),
    );
    rows.extend(report.kept.iter().map(|kept| ("kept", span(&kept.reference))));
    rows.extend(report.verify.iter().map(|verify| ("verify", verified(verify))));
    rows.extend(
        report
            .subtasks
            .iter()
            .map(|below| ("subtask", format!("{} {}: {}", below.number, span(&below.name), below.state))),
    );
    rows.extend(report.denied.iter().map(|denial| ("denied", denied(denial))));
    let totals = &report.totals;
    let time = length(Duration::try_from_secs_f64(totals.seconds).unwrap_or_default());
    let runs = if totals.executions == 1 { "run" } else { "runs" };
    rows.push(("time", format!("{time} in {} {runs}", totals.executions)));
    if let Some(cost) = totals.cost_usd {
        rows.push(("cost", format!("${cost:.2}")));
    }
    if let (Some(read), Some(written)) = (totals.tokens_in, totals.tokens_out) {
        rows.push(("tokens", format!("{read} in, {written} out")));
    }
    rows
}

fn delivered(delivery: &Delivery, merged_into: Option<&str>) -> String {
    let Delivery { branch, patch, commits, files, insertions, deletions, .. } = delivery;
    let name = branch.clone().or_else(|| Some(patch.as_ref()?.to_string_lossy().into_owned()));
    let merged = merged_into.map(|into| format!(", merged into {}", span(into)));
    format!(
        "{} (commits: {commits}, files: {files}, +{insertions} −{deletions}){}",
        span(&name.unwrap_or_default()),
        merged.unwrap_or_default()
    )
}

fn verified(verify: &VerifyReport) -> String {
    let came = match verify.exit {
        Exit::Code(0) => "passed".to_owned(),
        Exit::Code(code) => format!("failed with exit status {code}"),
        Exit::Signal(signal) => format!("was ended by signal {signal}"),
    };
    format!("{} {came}", span(&verify.command))
}

fn denied(denial: &Denial) -> String {
    let times = if denial.count > 1 { format!(", {} times", denial.count) } else { String::new() };
    format!("{} {}{times}", span(&denial.tool), span(&denial.input))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::render::samples;

    #[test]
    fn the_body_tells_a_reviewer_what_was_asked_and_what_came_of_it() {
        let mut answered = samples::blocked();
        answered.questions[0].state = "answered".to_owned();
        answered.questions[0].answer = Some("Latin, @ada".to_owned());
        insta::assert_snapshot!(body(&[samples::completed(), answered]));
    }
}
