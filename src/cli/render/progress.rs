//! What is said on stderr while a run goes on: one line for each event a person wants to see.

use super::style::{Tone, paint};
use crate::{cli::sanitise, protocol::events::Event};

/// The columns an event's text takes at most: progress is for a glance, `callbox logs` has it all.
const MAX_COLUMNS: usize = 160;

/// The line for `event`; `None` where it would only be noise.
pub(crate) fn progress(event: &Event) -> Option<String> {
    let tone = match event.kind.as_str() {
        "activity" | "usage" | "hello" | "started" => return None,
        "question" | "notice" => Some(Tone::Care),
        "state" => Some(Tone::Strong),
        _ => None,
    };
    let text = sanitise::cut(&sanitise::line(&event.text), MAX_COLUMNS);
    if text.is_empty() {
        return None;
    }
    let text = tone.map_or_else(|| text.clone(), |tone| paint(tone, &text));
    let kind = match event.kind.as_str() {
        "state" => String::new(),
        kind => format!("{}: ", sanitise::line(kind)),
    };
    Some(format!("{} {kind}{text}", paint(Tone::Name, &event.task.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{TaskNumber, Timestamp};

    fn printed(kind: &str, text: &str) -> Option<String> {
        let event = Event {
            seq: 1,
            at: Timestamp::from_millis(0),
            task: TaskNumber::new(1),
            execution: None,
            kind: kind.to_owned(),
            text: text.to_owned(),
            actor: None,
        };
        progress(&event).map(|line| anstream::adapter::strip_str(&line).to_string())
    }

    #[test]
    fn an_event_is_one_harmless_line_behind_its_task() {
        assert_eq!(printed("progress", "half\nway\u{1b}[2J").as_deref(), Some("t1 progress: half way␛[2J"));
        assert_eq!(printed("state", "running as x1").as_deref(), Some("t1 running as x1"));
        let long = printed("progress", &"x".repeat(10_000)).unwrap();
        assert!(sanitise::columns(&long) < 200);
    }

    #[test]
    fn what_changes_all_the_time_is_not_printed() {
        assert_eq!(printed("activity", "Bash: cargo test"), None);
        assert_eq!(printed("progress", "\u{200b}"), None);
    }
}
