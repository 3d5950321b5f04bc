//! What a person may want to do with a task now: look, take, say more. A pure decision.

use crate::{
    cli::finished_work::{FinishedWork, finished_work},
    protocol::report::{QuestionReport, TaskReport},
    vocabulary::{ATTACHED, Budget, Deliver, UNBOUND_WAIT},
};

/// One command and what it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// Ready to be pasted into a shell, but for words in capitals.
    pub(crate) command: String,
    /// In three or four words.
    pub(crate) purpose: &'static str,
}

/// At most three steps, the likeliest first.
pub(crate) fn steps(report: &TaskReport) -> Vec<Step> {
    let task = report.task.number;
    let logs = || Step { command: format!("callbox logs {task}"), purpose: "see what the agent did" };
    let comparable = report.task.project.is_some() && has_work(report);
    let diff = || Step { command: format!("callbox diff {task}"), purpose: "look at the work" };
    // Logs that were removed tell nothing.
    let look = if comparable { Some(diff()) } else { (!report.swept).then(logs) };
    if report.task.agent == ATTACHED {
        return attached(report);
    }
    let say_more = Step { command: format!("callbox resume {task} TEXT --run"), purpose: "say more" };
    match report.task.state.as_str() {
        "ready" => {
            let accept = Step { command: format!("callbox accept {task}"), purpose: "accept it" };
            let reject = format!("callbox reject {task} TEXT --run");
            let reject = Step { command: reject, purpose: "send it back" };
            look.into_iter().chain([accept, reject]).collect()
        }
        "completed" => [look, take(report), Some(say_more)].into_iter().flatten().collect(),
        "blocked" => {
            let open = report.questions.iter().find(|question| question.state == "open");
            let wait = Step { command: format!("callbox why {task}"), purpose: "see what it waits for" };
            [Some(open.map_or(wait, answer)), look, Some(cancel(report))].into_iter().flatten().collect()
        }
        "pending" => {
            vec![Step { command: format!("callbox start {task}"), purpose: "let it run" }, cancel(report)]
        }
        "queued" | "running" => {
            let why = Step { command: format!("callbox why {task}"), purpose: "see what it waits for" };
            [Some(why), go_on(report), Some(cancel(report))].into_iter().flatten().collect()
        }
        _ => {
            let look = comparable.then(diff);
            // Of work that is kept there is more to do than to read how it came to its end.
            let [first, second] = match take(report) {
                Some(take) if report.kept.is_some() => [look, Some(take)],
                _ => [(!report.swept).then(logs), look],
            };
            [first, second, Some(again(report))].into_iter().flatten().collect()
        }
    }
}

/// Whether there may be something to look at.
fn has_work(report: &TaskReport) -> bool {
    let in_project = report.delivery.is_some() || report.kept.is_some();
    let nothing_changed = match (report.task.state.as_str(), &report.error) {
        // Handed over would be all there is.
        ("ready" | "completed", _) => report.deliver != Deliver::None,
        (_, Some(fault)) => fault.code == "no_changes",
        _ => false,
    };
    in_project || report.sandbox.is_some() && !nothing_changed
}

/// A tree whose budget is used up goes on with a new one alone.
fn again(report: &TaskReport) -> Step {
    let task = report.task.number;
    match report.task.state.as_str() {
        "budget_exceeded" => {
            let limit = match report.budget {
                Budget { max_cost_usd: None, max_tokens: Some(_) } => "--max-tokens NUMBER",
                _ => "--max-cost-usd DOLLARS",
            };
            Step { command: format!("callbox resume {task} {limit} --run"), purpose: "raise its budget" }
        }
        _ => Step { command: format!("callbox resume {task} TEXT --run"), purpose: "take it up again" },
    }
}

/// The command that brings a queued or running task further now, if any does.
fn go_on(report: &TaskReport) -> Option<Step> {
    let task = report.task.number;
    if let Some(end) = end(report) {
        return Some(end);
    }
    let wait = report.task.wait.as_deref().unwrap_or_default();
    match (report.task.state.as_str(), wait) {
        ("running", "") => Some(Step { command: format!("callbox logs {task} -f"), purpose: "follow it" }),
        ("running", _) => Some(Step { command: "callbox run --queued".to_owned(), purpose: "go on with it" }),
        (_, wait) if wait.starts_with("dependency") => None,
        _ => Some(Step { command: format!("callbox resume {task} --run"), purpose: "go on" }),
    }
}

/// Of an agent that nobody watches only a person knows when it is done.
fn end(report: &TaskReport) -> Option<Step> {
    let task = report.task.number;
    let unbound = report.task.wait.as_deref() == Some(UNBOUND_WAIT);
    unbound.then(|| Step { command: format!("callbox end {task}"), purpose: "end its run" })
}

fn attached(report: &TaskReport) -> Vec<Step> {
    let task = report.task.number;
    let open = report.questions.iter().find(|question| question.state == "open").map(|question| {
        let answer = if question.options.is_empty() { "TEXT" } else { "--option N" };
        Step { command: format!("callbox answer {} {answer}", question.number), purpose: "answer" }
    });
    let again = format!("callbox attach --task {task} -- COMMAND");
    let again = end(report).unwrap_or(Step { command: again, purpose: "go on with it" });
    open.into_iter().chain([again]).collect()
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

fn take(report: &TaskReport) -> Option<Step> {
    match finished_work(report)? {
        // It was taken already.
        FinishedWork::Delivered(..) if report.merged_into.is_some() => return None,
        FinishedWork::Delivered(..) | FinishedWork::Kept(_) => {}
    }
    Some(Step { command: format!("callbox take {}", report.task.number), purpose: "take it" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cli::render::samples, vocabulary::Fault};

    #[test]
    fn a_run_that_nobody_watches_is_ended_by_its_person() {
        let mut report = samples::blocked();
        (report.task.state, report.task.wait) = ("running".to_owned(), Some(UNBOUND_WAIT.to_owned()));
        for agent in [ATTACHED, "claude"] {
            report.task.agent = agent.to_owned();
            let commands: Vec<_> = steps(&report).into_iter().map(|step| step.command).collect();
            assert!(commands.contains(&"callbox end t1".to_owned()), "{commands:?}");
            assert!(!commands.iter().any(|command| command.contains("run")), "{commands:?}");
        }
    }

    #[test]
    fn a_task_that_was_attached_is_not_said_to_go_on_by_itself() {
        let mut report = samples::blocked();
        report.task.agent = ATTACHED.to_owned();
        let commands: Vec<_> = steps(&report).into_iter().map(|step| step.command).collect();
        assert_eq!(commands, ["callbox answer q1 --option N", "callbox attach --task t1 -- COMMAND"]);
    }

    #[test]
    fn no_step_is_one_that_would_be_refused() {
        let commands = |state: &str, wait: Option<&str>| {
            let mut report = samples::completed();
            report.task.state = state.to_owned();
            report.task.wait = wait.map(str::to_owned);
            steps(&report).into_iter().map(|step| step.command).collect::<Vec<_>>()
        };
        assert_eq!(commands("running", None)[1], "callbox logs t1 -f");
        assert_eq!(commands("running", Some("no store running"))[1], "callbox run --queued");
        assert_eq!(commands("queued", Some("dependency t2")), ["callbox why t1", "callbox cancel t1"]);
        assert_eq!(commands("queued", Some("no store running"))[1], "callbox resume t1 --run");
        let mut bare = samples::completed();
        (bare.task.project, bare.delivery) = (None, None);
        assert_eq!(steps(&bare)[0].command, "callbox logs t1");
        (bare.swept, bare.sandbox) = (true, None);
        assert!(steps(&bare).iter().all(|step| !step.command.starts_with("callbox logs")));
        bare.task.state = "failed".to_owned();
        assert!(steps(&bare).iter().all(|step| !step.command.starts_with("callbox logs")));
        assert_eq!(
            commands("budget_exceeded", None)[2],
            "callbox resume t1 --max-cost-usd DOLLARS --run",
            "without a new budget it is refused"
        );
    }

    #[test]
    fn where_nothing_was_changed_no_work_is_offered_to_be_looked_at() {
        let commands =
            |report: &TaskReport| steps(report).into_iter().map(|step| step.command).collect::<Vec<_>>();
        let mut report = samples::failed();
        report.error = Some(Fault::new("no_changes", "the task requires changes and there are none"));
        assert_eq!(commands(&report), ["callbox logs t1", "callbox resume t1 TEXT --run"]);
        let mut report = samples::completed();
        (report.delivery, report.sandbox) = (None, samples::failed().sandbox);
        assert_eq!(commands(&report)[0], "callbox logs t1");
        report.deliver = Deliver::None;
        assert_eq!(commands(&report)[0], "callbox diff t1", "it stands in the sandbox");
    }

    #[test]
    fn the_limit_that_is_to_be_raised_is_one_that_there_is() {
        let mut report = samples::completed();
        report.task.state = "budget_exceeded".to_owned();
        report.budget.max_tokens = Some(7);
        assert_eq!(steps(&report)[2].command, "callbox resume t1 --max-tokens NUMBER --run");
        report.budget.max_cost_usd = Some(1.0);
        assert_eq!(steps(&report)[2].command, "callbox resume t1 --max-cost-usd DOLLARS --run");
    }

    #[test]
    fn what_was_merged_is_not_to_be_taken_again_and_what_is_kept_of_it_is() {
        let mut report = samples::completed();
        report.deliver = Deliver::Merge;
        let commands =
            |report: &TaskReport| steps(report).into_iter().map(|step| step.command).collect::<Vec<_>>();
        assert_eq!(commands(&report)[1], "callbox take t1", "it stands on a branch of its own");
        report.merged_into = Some("main".to_owned());
        assert_eq!(commands(&report), ["callbox diff t1", "callbox resume t1 TEXT --run"]);
        (report.kept, report.task.state) = (Some(samples::kept()), "failed".to_owned());
        assert_eq!(commands(&report)[1], "callbox take t1");
    }

    #[test]
    fn work_that_is_kept_is_looked_at_and_taken_as_delivered_work_is() {
        let mut report = samples::failed();
        let commands = |report: &TaskReport| -> Vec<String> {
            steps(report).into_iter().map(|step| step.command).collect()
        };
        let again = "callbox resume t1 TEXT --run";
        assert_eq!(commands(&report), ["callbox logs t1", "callbox diff t1", again]);
        (report.kept, report.sandbox) = (Some(samples::kept()), None);
        assert_eq!(commands(&report), ["callbox diff t1", "callbox take t1", again]);
    }
}
