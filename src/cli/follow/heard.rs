//! Which changes of tasks were heard of. Pure.

use std::collections::HashMap;

use crate::{
    ids::{TaskNumber, Timestamp},
    protocol::{events::Event, report::TaskLine},
};

/// When each task last changed, as far as events told.
#[derive(Debug, Default)]
pub(super) struct Heard(HashMap<TaskNumber, Timestamp>);

impl Heard {
    /// Takes an event.
    pub(super) fn note(&mut self, event: &Event) {
        let last = self.0.entry(event.task).or_insert(event.at);
        *last = event.at.max(*last);
    }

    /// Whether there was an event of the last change of each of `lines`: lists of tasks and events come
    /// on connections of their own, and neither waits for the other.
    pub(super) fn is_up_to(&self, lines: &[&TaskLine]) -> bool {
        lines.iter().all(|line| self.0.get(&line.number).is_some_and(|last| *last >= line.updated_at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::render::samples::line;

    #[test]
    fn a_change_is_heard_of_once_an_event_is_as_late() {
        let line = TaskLine { updated_at: Timestamp::from_millis(5), ..line(1, "task", "failed") };
        let event = |at| Event {
            seq: 1,
            at: Timestamp::from_millis(at),
            task: line.number,
            execution: None,
            kind: "state".to_owned(),
            text: String::new(),
            actor: None,
        };
        let mut heard = Heard::default();
        assert!(!heard.is_up_to(&[&line]));
        heard.note(&event(4));
        assert!(!heard.is_up_to(&[&line]));
        heard.note(&event(5));
        heard.note(&event(3));
        assert!(heard.is_up_to(&[&line]));
    }
}
