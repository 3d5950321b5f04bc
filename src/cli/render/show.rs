//! `callbox show`: the end of the run, and behind it every execution and everything the agent said.

use super::{
    amounts::{counted, dollars, length},
    ending::ending,
    questions::{HowToAnswer, is_open, question},
    standing,
    style::{Tone, paint},
};
use crate::{
    agents::Catalogue,
    cli::sanitise,
    protocol::report::{ExecutionReport, MessageReport, QuestionReport, SignalReport, TaskReport},
    vocabulary::Exit,
};

/// The columns a signal's text takes at most.
const MAX_COLUMNS: usize = 120;
/// The lines that the instructions take at most.
const MAX_LINES: usize = 12;

/// The task, whole.
pub(crate) fn show(report: &TaskReport, agents: &Catalogue) -> String {
    let mut text = ending(report, agents);
    text.push_str("\n  asked for\n");
    text.push_str(&asked_for(&report.instructions));
    let closed: Vec<_> = report.questions.iter().filter(|question| !is_open(question)).collect();
    if !closed.is_empty() {
        text.push_str("\n  asked and answered\n");
        text.extend(closed.into_iter().map(answered));
    }
    if !report.executions.is_empty() {
        text.push_str("\n  executions\n");
        text.extend(report.executions.iter().map(|execution| format!("    {}\n", executed(execution))));
    }
    if !report.messages.is_empty() {
        text.push_str("\n  told\n");
        text.extend(report.messages.iter().map(|message| format!("    {}\n", told(message))));
    }
    if !report.signals.is_empty() {
        text.push_str("\n  said\n");
        text.extend(report.signals.iter().map(|signal| format!("    {}\n", said(signal))));
    }
    text
}

/// A question of the past, with its answer or what else became of it.
fn answered(report: &QuestionReport) -> String {
    let number = paint(Tone::Name, &report.number.to_string());
    format!("    {number} of {}\n{}", report.task, question(report, HowToAnswer::Unsaid, 6))
}

/// The instructions as they were given, as far as a screen takes them.
fn asked_for(instructions: &str) -> String {
    let lines: Vec<&str> = instructions.trim_end().trim_start_matches('\n').lines().collect();
    let indented = |line: &&str| {
        let depth = line.chars().take_while(|letter| *letter == ' ').count();
        sanitise::cut(&format!("{}{}", " ".repeat(depth.min(MAX_COLUMNS)), sanitise::line(line)), MAX_COLUMNS)
    };
    let mut shown: Vec<String> = lines.iter().take(MAX_LINES).map(indented).collect();
    let more = u32::try_from(lines.len().saturating_sub(MAX_LINES)).unwrap_or(u32::MAX);
    if more > 0 {
        let said = format!("and {}; `--json` has them all", counted(more, "more line"));
        shown.push(paint(Tone::Faint, &said));
    }
    shown.iter().flat_map(|line| ["    ", line, "\n"]).collect()
}

fn executed(execution: &ExecutionReport) -> String {
    let outcome = match &execution.outcome {
        Some(outcome) => standing::state(outcome),
        None => standing::state("running"),
    };
    let agent = [Some(&execution.agent), execution.agent_version.as_ref(), execution.model.as_ref()];
    let agent: Vec<_> = agent.into_iter().flatten().map(|word| sanitise::line(word)).collect();
    let mut facts = vec![agent.join(" ")];
    facts.extend(execution.activity.iter().map(|activity| format!("now {}", sanitise::line(activity))));
    if let (Some(started), Some(ended)) = (execution.started_at, execution.ended_at) {
        facts.push(length(ended.since(started)));
    }
    facts.extend(execution.cost_usd.map(dollars));
    match execution.exit {
        Some(Exit::Code(0)) | None => {}
        Some(Exit::Code(code)) => facts.push(format!("exit status {code}")),
        Some(Exit::Signal(signal)) => facts.push(format!("ended by signal {signal}")),
    }
    facts.extend(execution.credential.iter().map(|name| format!("login by {}", sanitise::line(name))));
    facts.extend(execution.isolation.iter().map(|isolation| sanitise::line(&isolation.to_string())));
    facts.extend(execution.unbound_until.map(|until| match execution.ended_at {
        None => format!("unbound, until {until} at the latest"),
        Some(_) => "unbound".to_owned(),
    }));
    facts.extend(execution.session_id.iter().map(|id| format!("session {}", sanitise::line(id))));
    let why = execution.error.as_ref().map_or_else(String::new, |fault| {
        format!("\n       {}", paint(Tone::Faint, &sanitise::line(&fault.message)))
    });
    format!("{} {outcome}: {}{why}", paint(Tone::Name, &execution.number.to_string()), facts.join(", "))
}

fn said(signal: &SignalReport) -> String {
    let what = ["message", "question", "summary", "name"]
        .iter()
        .find_map(|field| signal.arguments.get(field)?.as_str().map(sanitise::line))
        .unwrap_or_default();
    format!(
        "{} {} {}",
        paint(Tone::Name, &signal.execution.to_string()),
        paint(Tone::Faint, &sanitise::line(&signal.tool)),
        sanitise::cut(&what, MAX_COLUMNS),
    )
}

fn told(message: &MessageReport) -> String {
    let state = match (message.state.as_str(), message.execution) {
        ("taken", Some(execution)) => format!("taken by {execution}"),
        ("handed", Some(execution)) => format!("given to {execution}, not proven to be taken"),
        ("unheard", Some(execution)) => {
            format!(
                "given to {execution}, which has ended without a proof that it was taken; `resume` tells it again"
            )
        }
        ("unheard", None) => "unheard, since the task has ended; `resume` goes on with it".to_owned(),
        _ => "waiting".to_owned(),
    };
    format!(
        "{} {} {}",
        paint(Tone::Faint, &sanitise::line(&message.kind)),
        sanitise::cut(&sanitise::line(&message.text), MAX_COLUMNS),
        paint(Tone::Faint, &format!("({state})")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::render::samples;

    #[test]
    fn a_run_that_goes_on_shows_what_its_agent_does() {
        let mut report = samples::completed();
        report.executions[0].activity = Some("Bash: cargo test, 40 s".to_owned());
        let printed = anstream::adapter::strip_str(&show(&report, &Catalogue::built_in())).to_string();
        assert!(printed.contains("scripted 0.1.0, now Bash: cargo test, 40 s"), "{printed}");
    }

    #[test]
    fn only_a_run_that_is_still_open_is_said_to_end_at_a_time() {
        let mut report = samples::completed();
        report.executions[0].unbound_until = Some(crate::ids::Timestamp::from_millis(samples::START));
        let printed = anstream::adapter::strip_str(&show(&report, &Catalogue::built_in())).to_string();
        assert!(printed.contains(", unbound, session") && !printed.contains("until"), "{printed}");
        report.executions[0].ended_at = None;
        let printed = anstream::adapter::strip_str(&show(&report, &Catalogue::built_in())).to_string();
        assert!(printed.contains("unbound, until 2026-11-30T04:00:00.000Z at the latest"), "{printed}");
    }

    #[test]
    fn what_was_asked_for_is_shown_as_far_as_a_screen_takes_it() {
        let mut report = samples::completed();
        report.instructions = format!("one \u{1b}[2J\n\n{}", "x\n".repeat(20));
        let printed = anstream::adapter::strip_str(&show(&report, &Catalogue::built_in())).to_string();
        let (_, asked) = printed.split_once("\n  asked for\n").unwrap();
        let (asked, _) = asked.split_once("\n\n  executions").unwrap();
        let lines: Vec<&str> = asked.lines().collect();
        assert_eq!((lines.len(), lines[0], lines[1]), (13, "    one ␛[2J", "    "), "{printed}");
        assert_eq!(lines[12], "    and 10 more lines; `--json` has them all");
    }

    #[test]
    fn questions_are_shown_with_what_became_of_them() {
        let mut report = samples::blocked();
        assert!(
            !show(&report, &Catalogue::built_in()).contains("asked and answered"),
            "an open one stands with how to answer it"
        );
        (report.questions[0].answer, report.questions[0].state) =
            (Some("German".to_owned()), "answered".to_owned());
        let printed = anstream::adapter::strip_str(&show(&report, &Catalogue::built_in())).to_string();
        let (_, asked) = printed.split_once("\n  asked and answered\n").unwrap();
        assert!(asked.starts_with("    q1 of t1\n      "), "{printed}");
        assert!(asked.contains("\n      answer: German\n"), "{printed}");
    }

    #[test]
    fn what_was_asked_for_keeps_its_shape() {
        let shown = asked_for("\n- subtask:\n    name: one\n\n    - x\u{1b}[2J\n\n");
        let (first, rest) = shown.split_once('\n').unwrap();
        assert_eq!(first, "    - subtask:");
        assert!(
            rest.starts_with("        name: one\n    \n        - x") && !rest.contains('\u{1b}'),
            "{shown}"
        );
    }

    #[test]
    fn each_run_that_did_not_end_well_says_why() {
        let mut report = samples::completed();
        report.executions[0].error = Some(crate::vocabulary::Fault::new("agent", "it exited\u{1b}[2J"));
        let printed = anstream::adapter::strip_str(&show(&report, &Catalogue::built_in())).to_string();
        let (_, runs) = printed.split_once("\n  executions\n").unwrap();
        let why = runs.lines().nth(1).unwrap();
        assert!(why.starts_with("       it exited") && !why.contains('\u{1b}'), "{runs}");
    }

    #[test]
    fn a_task_is_shown_with_its_executions_and_what_was_said() {
        let printed =
            anstream::adapter::strip_str(&show(&samples::completed(), &Catalogue::built_in())).to_string();
        insta::assert_snapshot!(printed.split_once("\n  executions\n").unwrap().1, @"
          x1 succeeded: scripted 0.1.0, 12 s, $0.25, login by ANTHROPIC_API_KEY, isolation by Landlock (ABI 7), session s-1

        told
          message in oil, please (taken by x1)
          rejection too bright (given to x1, not proven to be taken)
          message hurry (waiting)

        said
          x1 record_progress half way
        ");
    }
}
