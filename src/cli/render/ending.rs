//! The end of a run, for a person: what came of it, what it cost, what to do next.

use std::{fmt::Write as _, path::PathBuf, time::Duration};

use super::{
    amounts::{count, counted, dollars, length},
    denials::denials,
    questions::{HowToAnswer, NO_SECRETS, is_open, question},
    standing,
    style::{Tone, paint},
};
use crate::{
    agents::Catalogue,
    cli::{next, sanitise},
    protocol::report::{TaskHead, TaskReport, Totals, VerifyReport},
    vocabulary::{Delivery, Exit, Kept},
};

/// Lines of a summary that are printed; `callbox show` has them all.
const MAX_SUMMARY_LINES: usize = 30;

/// Lines of a failed verification that are printed: the end says most.
const MAX_VERIFY_LINES: usize = 15;

/// Outcome, summary, questions, subtasks, branch, verification, time and cost, denials, and the next
/// commands.
pub(crate) fn ending(report: &TaskReport, agents: &Catalogue) -> String {
    let mut page = Page(String::new());
    page.line(&heading(report));
    if let Some(summary) = &report.summary {
        page.gap();
        page.block(&sanitise::text(summary));
    }
    page.gap();
    page.rows("failed", &failure(report));
    page.rows("subtask", &subtasks(report));
    // Under review what is to be merged stands on a branch of its own first.
    let (merged, delivered) = match &report.merged_into {
        Some(_) => (report.delivery.as_ref(), None),
        None => (None, report.delivery.as_ref()),
    };
    page.rows("merged", &merged.and_then(into).into_iter().collect::<Vec<_>>());
    page.rows("agent", &agent(&report.task).into_iter().collect::<Vec<_>>());
    page.rows("branch", &delivered.and_then(branch).into_iter().collect::<Vec<_>>());
    page.rows("patch", &report.delivery.iter().filter_map(patch).collect::<Vec<_>>());
    page.rows("kept", &keeping(report));
    page.rows("verify", &report.verify.iter().flat_map(verification).collect::<Vec<_>>());
    page.rows("time", &[time(&report.totals)]);
    page.rows("cost", &cost(&report.totals).into_iter().collect::<Vec<_>>());
    page.rows("denied", &denials(agents.find(who(report)), &report.denied));
    page.rows("sandbox", &kept(report));
    open_questions(report, &mut page);
    page.gap();
    page.rows("next", &commands(report));
    page.0
}

/// Text in rows of a label and what it labels.
struct Page(String);

impl Page {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn gap(&mut self) {
        if !self.0.ends_with("\n\n") {
            self.0.push('\n');
        }
    }

    fn block(&mut self, text: &str) {
        let lines: Vec<&str> = text.trim_end().lines().collect();
        for line in lines.iter().take(MAX_SUMMARY_LINES) {
            self.line(format!("  {line}").trim_end());
        }
        if lines.len() > MAX_SUMMARY_LINES {
            self.line(&format!("  … {} more lines", lines.len() - MAX_SUMMARY_LINES));
        }
    }

    fn rows(&mut self, label: &str, rows: &[String]) {
        for (place, row) in rows.iter().enumerate() {
            let label = if place == 0 { label } else { "" };
            // Writing to a string cannot fail.
            let _ = writeln!(self.0, "  {}  {row}", paint(Tone::Faint, &format!("{label:<8}")));
        }
    }
}

fn heading(report: &TaskReport) -> String {
    let task = &report.task;
    let wait = task.wait.as_ref().map(|wait| format!(", waits for {}", sanitise::line(wait)));
    format!(
        "{} {}: {}{}",
        paint(Tone::Name, &task.number.to_string()),
        paint(Tone::Strong, &sanitise::line(&task.name)),
        standing::state(&task.state),
        wait.unwrap_or_default(),
    )
}

/// The agent whose work it is.
fn who(report: &TaskReport) -> &str {
    report.task.picked_agent.as_deref().unwrap_or(&report.task.agent)
}

/// Which agent it came to, where that was left open.
fn agent(task: &TaskHead) -> Option<String> {
    let picked = task.picked_agent.as_ref()?;
    Some(format!(
        "{}, for which the task asked for `{}`",
        sanitise::line(picked),
        sanitise::line(&task.agent)
    ))
}

fn failure(report: &TaskReport) -> Vec<String> {
    let Some(fault) = &report.error else { return Vec::new() };
    let mut lines: Vec<String> = sanitise::text(&fault.message).lines().map(str::to_owned).collect();
    lines.extend(fault.hint.iter().map(|hint| format!("hint: {}", sanitise::line(hint))));
    lines
}

fn subtasks(report: &TaskReport) -> Vec<String> {
    let line = |subtask: &crate::protocol::report::SubtaskReport| {
        let branch = subtask.branch.as_ref().map(|branch| format!(", {}", sanitise::line(branch)));
        format!(
            "{} {}: {}{}",
            paint(Tone::Name, &subtask.number.to_string()),
            sanitise::line(&subtask.name),
            standing::state(&subtask.state),
            branch.unwrap_or_default(),
        )
    };
    report.subtasks.iter().map(line).collect()
}

fn branch(delivery: &Delivery) -> Option<String> {
    delivery.branch.as_ref().map(|branch| delivered(branch, delivery))
}

fn into(delivery: &Delivery) -> Option<String> {
    branch(delivery).map(|branch| format!("into {branch}"))
}

fn patch(delivery: &Delivery) -> Option<String> {
    delivery.patch.as_ref().map(|path| delivered(&path.to_string_lossy(), delivery))
}

fn delivered(name: &str, delivery: &Delivery) -> String {
    let Delivery { commits, files, insertions, deletions, .. } = *delivery;
    measured(name, (commits, files), (insertions, deletions))
}

/// Where the work of a run without a good end stands, or why it stands in the sandbox alone.
fn keeping(report: &TaskReport) -> Vec<String> {
    let failure = report
        .not_kept
        .iter()
        .map(|reason| format!("{}: {}", paint(Tone::Bad, "in the sandbox alone"), sanitise::line(reason)));
    let kept = report.kept.iter().map(|kept| {
        let Kept { reference, commits, files, insertions, deletions, .. } = kept;
        measured(reference, (*commits, *files), (*insertions, *deletions))
    });
    kept.chain(failure).collect()
}

fn measured(name: &str, (commits, files): (u32, u32), (insertions, deletions): (u32, u32)) -> String {
    format!(
        "{} ({}, {}, {} {})",
        paint(Tone::Name, &sanitise::line(name)),
        counted(commits, "commit"),
        counted(files, "file"),
        paint(Tone::Good, &format!("+{}", count(u64::from(insertions)))),
        paint(Tone::Bad, &format!("−{}", count(u64::from(deletions)))),
    )
}

/// What the command came to, and the end of what it wrote where it found something.
fn verification(verify: &VerifyReport) -> Vec<String> {
    let mut rows = vec![verified(verify)];
    if verify.exit != Exit::Code(0) {
        let tail = sanitise::text(&verify.tail);
        let lines: Vec<&str> = tail.trim_end().lines().collect();
        rows.extend(
            lines.iter().skip(lines.len().saturating_sub(MAX_VERIFY_LINES)).map(|line| format!("  {line}")),
        );
    }
    rows
}

fn verified(verify: &VerifyReport) -> String {
    let command = sanitise::line(&verify.command);
    match verify.exit {
        Exit::Code(0) => format!("`{command}` {}", paint(Tone::Good, "passed")),
        Exit::Code(code) => format!("`{command}` {} with exit status {code}", paint(Tone::Bad, "failed")),
        Exit::Signal(signal) => format!("`{command}` {} by signal {signal}", paint(Tone::Bad, "was ended")),
    }
}

fn time(totals: &Totals) -> String {
    let time = Duration::try_from_secs_f64(totals.seconds).unwrap_or_default();
    format!("{} in {}", length(time), counted(totals.executions, "run"))
}

fn cost(totals: &Totals) -> Option<String> {
    let tokens = match (totals.tokens_in, totals.tokens_out) {
        (None, None) => None,
        (read, written) => {
            Some(format!("{} tokens in, {} out", count(read.unwrap_or(0)), count(written.unwrap_or(0))))
        }
    };
    match (totals.cost_usd.map(dollars), tokens) {
        (Some(cost), Some(tokens)) => Some(format!("{cost} ({tokens})")),
        (Some(one), None) | (None, Some(one)) => Some(one),
        (None, None) => None,
    }
}

/// The sandbox is worth a line where the run is over, holds what no branch does, and nothing else
/// says where that is. Where there is no project, it is the only place of the work.
fn kept(report: &TaskReport) -> Vec<String> {
    if report.swept {
        return vec![paint(Tone::Faint, "removed by `callbox gc`, with its logs")];
    }
    let ended_badly =
        matches!(report.task.state.as_str(), "failed" | "timed_out" | "cancelled" | "budget_exceeded");
    let hint = report.error.as_ref().and_then(|fault| fault.hint.as_deref()).unwrap_or_default();
    let line =
        |path: &PathBuf| Some(sanitise::line(&path.to_string_lossy())).filter(|path| !hint.contains(path));
    let nowhere_else = report.task.state == "completed" && report.task.project.is_none();
    let kept = report.sandbox.iter().filter(|_| report.delivery.is_none() && (ended_badly || nowhere_else));
    kept.filter_map(line).map(|path| format!("{path} (kept)")).collect()
}

fn open_questions(report: &TaskReport, page: &mut Page) {
    let open: Vec<_> = report.questions.iter().filter(|question| is_open(question)).collect();
    // Of one the next commands say how it is answered.
    let how = if open.len() > 1 { HowToAnswer::Said } else { HowToAnswer::Unsaid };
    for asked in &open {
        page.gap();
        let by = format!("{}, asked by {}:", asked.number, asked.task);
        page.line(&format!("  {}", paint(Tone::Care, &by)));
        page.0.push_str(&question(asked, how, 4));
    }
    if !open.is_empty() {
        page.line(&format!("    {}", paint(Tone::Care, NO_SECRETS)));
    }
}

fn commands(report: &TaskReport) -> Vec<String> {
    let steps = next::steps(report);
    let widest = steps.iter().map(|step| sanitise::columns(&step.command)).max().unwrap_or(0);
    let line = |step: &next::Step| {
        let space = " ".repeat(widest - sanitise::columns(&step.command));
        format!("{}{space}  {}", paint(Tone::Name, &step.command), paint(Tone::Faint, step.purpose))
    };
    steps.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cli::render::samples, vocabulary::Deliver};

    fn printed(report: &TaskReport) -> String {
        anstream::adapter::strip_str(&ending(report, &Catalogue::built_in())).to_string()
    }

    #[test]
    fn a_completed_run_says_what_came_of_it_and_what_to_do_next() {
        insta::assert_snapshot!(printed(&samples::completed()), @"
        t1 greet: completed

          Added greetings in three languages.

          The tests cover each of them.

          subtask   t2 translate: completed, callbox/2-translate
          branch    callbox/1-greet (2 commits, 1 file, +1,240 −2)
          verify    `cargo test` passed
          time      1 min 12 s in 2 runs
          cost      $0.25 (12,000 tokens in, 900 out)
          denied    Bash: rm -rf target (3 times)
                      allowed by: instructions without the step `deny: Bash`

          next      callbox diff t1               look at the work
                    callbox take t1               take it
                    callbox resume t1 TEXT --run  say more
        ");
    }

    #[test]
    fn work_that_was_merged_is_said_to_be_and_into_which_branch() {
        let mut report = samples::completed();
        report.deliver = Deliver::Merge;
        let waiting = printed(&report);
        assert!(
            waiting.contains("  branch    callbox/1-greet (") && !waiting.contains("merged"),
            "{waiting}"
        );
        report.delivery.as_mut().unwrap().branch = Some("main".to_owned());
        report.merged_into = Some("main".to_owned());
        let text = printed(&report);
        assert!(text.contains("  merged    into main (2 commits, 1 file, +1,240 −2)\n"), "{text}");
        assert!(!text.contains("  branch  "), "{text}");
    }

    #[test]
    fn a_blocked_run_shows_its_question_and_how_to_answer() {
        insta::assert_snapshot!(printed(&samples::blocked()), @"
        t1 greet: blocked, waits for answer to q1

          time      1 min 12 s in 2 runs
          cost      $0.25 (12,000 tokens in, 900 out)

          q1, asked by t1:
            Which language comes first?
              1  Latin
              2  Greek
            The README names both.
            never answer with a secret: answers are stored

          next      callbox answer q1 --option N --run  answer and go on
                    callbox diff t1                     look at the work
                    callbox cancel t1                   give it up
        ");
    }

    #[test]
    fn each_of_several_questions_says_how_it_is_answered() {
        let mut report = samples::blocked();
        let mut second = report.questions[0].clone();
        second.number = crate::ids::QuestionNumber::new(2);
        report.questions.push(second);
        let printed = printed(&report);
        assert!(
            printed.contains("answer it: callbox answer q1")
                && printed.contains("answer it: callbox answer q2")
        );
    }

    #[test]
    fn a_sandbox_that_the_hint_names_is_not_named_twice() {
        let mut report = samples::failed();
        let sandbox = report.sandbox.as_ref().unwrap().display().to_string();
        let fault = report.error.take().unwrap();
        report.error = Some(fault.hinted(format!("the sandbox is kept in {sandbox}")));
        assert_eq!(printed(&report).matches(&sandbox).count(), 1);
    }

    #[test]
    fn a_failed_run_says_why_and_where_its_sandbox_stands() {
        insta::assert_snapshot!(printed(&samples::failed()), @"
        t1 greet: failed

          failed    the provider answered 500: overloaded
                    hint: try again later
          time      1 min 12 s in 2 runs
          cost      $0.25 (12,000 tokens in, 900 out)
          sandbox   /home/ada/.local/state/callbox/sandboxes/1/1 (kept)

          next      callbox logs t1               see what the agent did
                    callbox diff t1               look at the work
                    callbox resume t1 TEXT --run  take it up again
        ");
    }

    #[test]
    fn a_bad_end_says_where_its_work_is_kept_or_why_it_is_not() {
        let mut report = samples::failed();
        report.kept = Some(samples::kept());
        let text = printed(&report);
        assert!(text.contains("kept      refs/callbox/x1 (2 commits, 1 file, +3 −0)"), "{text}");
        (report.kept, report.not_kept) = (None, Some("the project is\nread-only".to_owned()));
        let text = printed(&report);
        assert!(text.contains("kept      in the sandbox alone: the project is read-only"), "{text}");
    }

    #[test]
    fn hostile_words_of_an_agent_move_no_terminal() {
        let mut report = samples::blocked();
        let evil = "\u{1b}]0;x\u{7}\u{9b}2J\r\u{202e}".to_owned();
        report.summary = Some(evil.clone());
        report.questions[0].question.clone_from(&evil);
        report.questions[0].options[0].clone_from(&evil);
        report.task.name = evil;
        assert!(printed(&report).chars().all(|letter| letter == '\n' || !letter.is_control()));
    }

    #[test]
    fn a_long_summary_is_cut_and_says_so() {
        let mut report = samples::completed();
        report.summary = Some("line\n".repeat(500));
        assert!(printed(&report).contains("… 470 more lines"));
    }
}
