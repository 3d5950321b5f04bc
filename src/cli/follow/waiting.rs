//! Tasks that waited for others, and can run once these are completed. Pure.

use std::collections::BTreeSet;

use crate::{ids::TaskNumber, protocol::report::TaskLine, vocabulary::STORE_WAIT};

/// Those that wait for others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Waiting(BTreeSet<TaskNumber>);

impl Waiting {
    /// Those of `lines`.
    pub(crate) fn of(lines: &[TaskLine]) -> Self {
        let waits = |line: &&TaskLine| {
            line.state == "queued" && line.wait.as_deref().is_some_and(|wait| wait.starts_with("dependency"))
        };
        Self(lines.iter().filter(waits).map(|line| line.number).collect())
    }

    /// Says of those that, as `lines` stand now, wait for nothing but a store, how they are run; `None` where there
    /// are none. What a store runs by itself needs no word.
    pub(crate) fn released(&self, lines: &[TaskLine]) -> Option<String> {
        let free =
            |line: &&TaskLine| self.0.contains(&line.number) && line.wait.as_deref() == Some(STORE_WAIT);
        let names: Vec<String> = lines.iter().filter(free).map(|line| line.number.to_string()).collect();
        let names = names.join(", ");
        let what = "waited for this and can run now";
        (!names.is_empty())
            .then(|| format!("{names} {what}: `callbox run --queued` or `callbox serve` does that"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::render::samples::line;

    fn lines(waits: &[(&str, Option<&str>)]) -> Vec<TaskLine> {
        let numbered = waits.iter().zip(1..);
        numbered
            .map(|((state, wait), number)| TaskLine {
                wait: wait.map(str::to_owned),
                ..line(number, "task", state)
            })
            .collect()
    }

    #[test]
    fn only_what_waited_for_others_and_waits_for_a_store_alone_is_said_to_be_free() {
        let waiting = Waiting::of(&lines(&[
            ("queued", Some("dependency t9")),
            ("queued", Some("no store running")),
            ("queued", Some("dependency t9, t8")),
            ("queued", Some("dependency t9")),
            ("queued", Some("dependency t9")),
        ]));
        let said = waiting.released(&lines(&[
            ("queued", Some("no store running")),
            ("queued", Some("no store running")),
            ("queued", Some("dependency t8")),
            ("failed", None),
            ("queued", Some("slot")),
        ]));
        assert!(said.unwrap().starts_with("t1 waited for this and can run now: "));
        assert_eq!(waiting.released(&[]), None);
    }
}
