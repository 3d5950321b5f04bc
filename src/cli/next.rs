//! What a person may want to do with a task now: look, take, say more. A pure decision.

use crate::{
    cli::sanitise,
    protocol::report::{QuestionReport, TaskReport},
    vocabulary::ATTACHED,
};

/// One command and what it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// Ready to be pasted into a shell, but for words in capitals. Sanitised.
    pub(crate) command: String,
    /// In three or four words.
    pub(crate) purpose: &'static str,
}

/// At most three steps, the likeliest first.
pub(crate) fn steps(report: &TaskReport) -> Vec<Step> {
    let task = report.task.number;
    let look = if report.delivery.is_some() || report.sandbox.is_some() {
        Step { command: format!("callbox diff {task}"), purpose: "look at the work" }
    } else {
        Step { command: format!("callbox logs {task}"), purpose: "see what the agent did" }
    };
    if report.task.agent == ATTACHED {
        return attached(report);
    }
    let say_more = Step { command: format!("callbox resume {task} TEXT --run"), purpose: "say more" };
    match report.task.state.as_str() {
        "completed" | "ready" => [Some(look), take(report), Some(say_more)].into_iter().flatten().collect(),
        "blocked" => {
            let open = report.questions.iter().find(|question| question.state == "open");
            let wait = Step { command: format!("callbox why {task}"), purpose: "see what it waits for" };
            vec![open.map_or(wait, answer), look, cancel(report)]
        }
        "pending" => {
            vec![Step { command: format!("callbox start {task}"), purpose: "let it run" }, cancel(report)]
        }
        "queued" | "running" => {
            let wait = Step { command: format!("callbox why {task}"), purpose: "see what it waits for" };
            let run = Step { command: format!("callbox resume {task} --run"), purpose: "go on" };
            vec![wait, run, cancel(report)]
        }
        _ => {
            let logs = Step { command: format!("callbox logs {task}"), purpose: "see what the agent did" };
            let again =
                Step { command: format!("callbox resume {task} TEXT --run"), purpose: "take it up again" };
            let look = report.sandbox.is_some().then_some(look);
            [Some(logs), look, Some(again)].into_iter().flatten().collect()
        }
    }
}

fn attached(report: &TaskReport) -> Vec<Step> {
    let task = report.task.number;
    let open = report.questions.iter().find(|question| question.state == "open").map(|question| {
        let answer = if question.options.is_empty() { "TEXT" } else { "--option N" };
        Step { command: format!("callbox answer {} {answer}", question.number), purpose: "answer" }
    });
    let again = format!("callbox attach --task {task} -- COMMAND");
    open.into_iter().chain([Step { command: again, purpose: "go on with it" }]).collect()
}

fn answer(question: &QuestionReport) -> Step {
    let answer = if question.options.is_empty() { "TEXT" } else { "--option N" };
    Step {
        command: format!("callbox answer {} {answer} --run", question.number),
        purpose: "answer and go on",
    }
}

fn cancel(report: &TaskReport) -> Step {
    Step { command: format!("callbox cancel {}", report.task.number), purpose: "give it up" }
}

/// A merge by the person's own git: callbox touches no branch of theirs.
fn take(report: &TaskReport) -> Option<Step> {
    let (delivery, project) = (report.delivery.as_ref()?, report.task.project.as_ref()?);
    let project = quoted(&sanitise::line(&project.to_string_lossy()));
    let branch = quoted(&sanitise::line(&delivery.branch));
    Some(Step { command: format!("git -C {project} merge {branch}"), purpose: "take it" })
}

/// The word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+@:".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::render::samples;

    #[test]
    fn a_task_that_was_attached_is_not_said_to_go_on_by_itself() {
        let mut report = samples::blocked();
        report.task.agent = ATTACHED.to_owned();
        let commands: Vec<_> = steps(&report).into_iter().map(|step| step.command).collect();
        assert_eq!(commands, ["callbox answer q1 --option N", "callbox attach --task t1 -- COMMAND"]);
    }

    #[test]
    fn a_word_is_quoted_only_where_a_shell_would_change_it() {
        assert_eq!(quoted("/home/ada/greeter"), "/home/ada/greeter");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("$(rm -rf x)"), "'$(rm -rf x)'");
        assert_eq!(quoted(""), "''");
    }
}
