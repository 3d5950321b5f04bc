//! `callbox status`: how the store and everything in its state directory stand.

use super::{
    amounts::{counted, dollars},
    style::{Tone, paint},
};
use crate::{
    cli::sanitise,
    protocol::status::{AgentStatus, DayStatus, Status},
};

/// All of it, a line for each thing.
pub(crate) fn status(status: &Status) -> String {
    let store = if status.resident {
        format!("resident, process {}, version {}", status.pid, sanitise::line(&status.version))
    } else {
        "none is resident; `callbox serve` keeps one that runs what is queued".to_owned()
    };
    let mut lines = vec![
        row("store", &store),
        row("running", &format!("{} of {}", status.running, status.slots)),
        row("tasks", &tasks(status)),
        row("questions", &questions(status.questions)),
    ];
    lines.extend(status.agents.iter().map(|agent| row(&sanitise::line(&agent.name), &of_agent(agent))));
    lines.extend(status.day.as_ref().map(|day| row("today", &spent(day))));
    lines.concat()
}

/// One line for a glance.
pub(crate) fn headline(status: &Status) -> String {
    let mut parts = vec![format!("{} of {} running", status.running, status.slots)];
    parts.extend(status.tasks.get("queued").map(|queued| format!("{queued} queued")));
    if status.questions > 0 {
        parts.push(paint(Tone::Care, &format!("{} open", counted(status.questions, "question"))));
    }
    let held = status.agents.iter().filter_map(|agent| {
        let reason = agent.held.as_deref()?;
        Some(paint(Tone::Bad, &format!("{} held: {}", sanitise::line(&agent.name), words(reason))))
    });
    parts.extend(held);
    parts.extend(status.day.as_ref().map(|day| format!("{} today", spent(day))));
    if !status.resident {
        parts.push("no store is resident".to_owned());
    }
    parts.join(", ")
}

fn row(name: &str, text: &str) -> String {
    const WIDTH: usize = 11;
    let gap = " ".repeat(WIDTH.saturating_sub(sanitise::columns(name)).max(1));
    format!("{}{gap}{text}\n", paint(Tone::Strong, name))
}

fn tasks(status: &Status) -> String {
    let counts: Vec<String> = status
        .tasks
        .iter()
        .map(|(state, count)| format!("{count} {}", sanitise::line(state).replace('_', " ")))
        .collect();
    if counts.is_empty() { "none".to_owned() } else { counts.join(", ") }
}

fn questions(open: u32) -> String {
    match open {
        0 => "none open".to_owned(),
        open => paint(
            Tone::Care,
            &format!("{} open; `callbox questions` lists what is asked", counted(open, "question")),
        ),
    }
}

fn of_agent(agent: &AgentStatus) -> String {
    let running = match agent.slots {
        Some(slots) => format!("{} of {slots} running", agent.running),
        None => format!("{} running", agent.running),
    };
    let Some(reason) = agent.held.as_deref() else { return running };
    let until = match (reason, agent.until) {
        (_, None) => String::new(),
        ("auth", Some(until)) => format!(", tried again from {until} on"),
        (_, Some(until)) => format!(" until {until}"),
    };
    let message = agent.message.as_ref().map(|message| format!(": {}", sanitise::line(message)));
    let held = paint(Tone::Bad, &format!("{}{until}", words(reason)));
    format!("{running}, held because {held}{}", message.unwrap_or_default())
}

fn words(reason: &str) -> &'static str {
    match reason {
        "rate_limit" => "its provider refuses for now",
        "auth" => "its login is refused",
        "failures" => "it failed several times in a row",
        _ => "of something that this version does not know",
    }
}

fn spent(day: &DayStatus) -> String {
    let spent = dollars(day.spent_usd);
    match day.limit_usd {
        Some(limit) => format!("{spent} of {} spent", dollars(limit)),
        None => format!("{spent} spent"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Timestamp;

    fn sample() -> Status {
        Status {
            version: "0.1.0".to_owned(),
            pid: 12,
            generation: 3,
            resident: true,
            running: 2,
            slots: 4,
            tasks: [("queued".to_owned(), 3), ("timed_out".to_owned(), 1)].into(),
            questions: 1,
            agents: vec![AgentStatus {
                name: "claude".to_owned(),
                running: 1,
                slots: Some(2),
                held: Some("auth".to_owned()),
                until: Some(Timestamp::from_millis(0)),
                message: Some("401\u{1b}[2J".to_owned()),
            }],
            day: Some(DayStatus { spent_usd: 0.5, limit_usd: Some(2.0), until: Timestamp::from_millis(0) }),
            last_event: 9,
        }
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn everything_a_person_may_have_to_do_something_about_is_said() {
        insta::assert_snapshot!(plain(&status(&sample())), @r"
        store      resident, process 12, version 0.1.0
        running    2 of 4
        tasks      3 queued, 1 timed out
        questions  1 question open; `callbox questions` lists what is asked
        claude     1 of 2 running, held because its login is refused, tried again from 1970-01-01T00:00:00.000Z on: 401␛[2J
        today      $0.50 of $2.00 spent
        ");
        let line = plain(&headline(&sample()));
        assert_eq!(
            line,
            "2 of 4 running, 3 queued, 1 question open, claude held: its login is refused, $0.50 of $2.00 spent today"
        );
    }

    #[test]
    fn without_a_store_that_stays_the_way_to_one_is_named() {
        let hosted = Status { resident: false, tasks: std::collections::BTreeMap::new(), ..sample() };
        let text = plain(&status(&hosted));
        assert!(
            text.contains("none is resident; `callbox serve`") && text.contains("tasks      none"),
            "{text}"
        );
    }
}
