//! Denied calls, each counted once: programs say them when they happen and again at the end.

use std::collections::BTreeSet;

use super::shorten::shorten;
use crate::vocabulary::Denial;

/// How many kinds of denials and how many calls are kept; an agent that wants more has been told.
const MOST: usize = 1000;

/// The denied calls of one run, each counted once.
#[derive(Debug, Default)]
pub(super) struct Denials {
    calls: BTreeSet<String>,
    kinds: Vec<Denial>,
}

impl Denials {
    /// Counts the call `id`; `None` where it was counted before.
    pub(super) fn add(&mut self, id: &str, tool: &str, input: &str) -> Option<Denial> {
        if self.calls.len() >= MOST || !self.calls.insert(id.to_owned()) {
            return None;
        }
        let tool = shorten(tool, 100);
        if let Some(kind) = self.kinds.iter_mut().find(|kind| kind.tool == tool && kind.input == input) {
            kind.count += 1;
            return Some(kind.clone());
        }
        let kind = Denial { tool, input: input.to_owned(), count: 1 };
        self.kinds.push(kind.clone());
        Some(kind)
    }

    /// Every kind with its count, in the order of their first call.
    pub(super) fn into_kinds(self) -> Vec<Denial> {
        self.kinds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_is_said_twice_counts_once_and_equal_calls_count_together() {
        let mut denials = Denials::default();
        assert_eq!(denials.add("1", "Bash", "ls").unwrap().count, 1);
        assert_eq!(denials.add("1", "Bash", "ls"), None);
        assert_eq!(denials.add("2", "Bash", "ls").unwrap().count, 2);
        denials.add("3", "Write", "a");
        let kinds: Vec<_> = denials.into_kinds().into_iter().map(|kind| (kind.tool, kind.count)).collect();
        assert_eq!(kinds, [("Bash".to_owned(), 2), ("Write".to_owned(), 1)]);
    }
}
