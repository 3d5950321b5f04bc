//! Facts on their way into a report: in order, but what a later one makes pointless is left out.

use std::mem;

use crate::vocabulary::Fact;

/// The most facts in one report: a report must fit into a request.
const MAX_FACTS: usize = 50;
/// How many facts wait at most while no store takes them; what is only told to people is then dropped.
const MAX_WAITING: usize = 1000;
/// The longest text of a fact, in characters: agents write them.
const MAX_TEXT: usize = 2000;

/// When a fact is to be reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Urgency {
    /// Together with what else happens within a moment.
    Soon,
    /// At once: a resume needs it.
    Now,
}

/// Facts that are not reported yet.
#[derive(Debug, Default)]
pub(super) struct Batch {
    facts: Vec<Fact>,
}

impl Batch {
    /// Adds one.
    pub(super) fn add(&mut self, fact: Fact) {
        if self.facts.len() >= MAX_WAITING && matches!(urgency(&fact), Urgency::Soon) {
            return;
        }
        let fact = shortened(fact);
        self.facts.retain(|earlier| !replaces(&fact, earlier));
        self.facts.push(fact);
    }

    /// Whether there is nothing to report.
    pub(super) fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// What one report holds; empties the batch when called until nothing is left.
    pub(super) fn take(&mut self) -> Vec<Fact> {
        if self.facts.len() <= MAX_FACTS {
            return mem::take(&mut self.facts);
        }
        let rest = self.facts.split_off(MAX_FACTS);
        mem::replace(&mut self.facts, rest)
    }
}

/// When `fact` is to be reported.
pub(super) fn urgency(fact: &Fact) -> Urgency {
    match fact {
        Fact::Sandbox { .. }
        | Fact::SpawnBase { .. }
        | Fact::Retold { .. }
        | Fact::Isolated { .. }
        | Fact::AgentStarted { .. }
        | Fact::Session { .. }
        | Fact::TurnTaken
        | Fact::ResultTaken { .. } => Urgency::Now,
        Fact::Model { .. }
        | Fact::Activity { .. }
        | Fact::Usage { .. }
        | Fact::Denied { .. }
        | Fact::ProviderRetry { .. }
        | Fact::Notice { .. } => Urgency::Soon,
    }
}

/// Totals and states, of which only the last counts.
fn replaces(later: &Fact, earlier: &Fact) -> bool {
    match (later, earlier) {
        (Fact::Activity { .. }, Fact::Activity { .. })
        | (Fact::Usage { .. }, Fact::Usage { .. })
        | (Fact::Model { .. }, Fact::Model { .. }) => true,
        (Fact::Denied { denial: later }, Fact::Denied { denial: earlier }) => {
            later.tool == earlier.tool && later.input == earlier.input
        }
        _ => later == earlier,
    }
}

fn shortened(mut fact: Fact) -> Fact {
    if let Fact::Activity { text }
    | Fact::Notice { text }
    | Fact::ProviderRetry { message: text }
    | Fact::Retold { reason: text } = &mut fact
        && let Some((end, _)) = text.char_indices().nth(MAX_TEXT)
    {
        text.truncate(end);
    }
    fact
}

#[cfg(test)]
mod tests {
    use super::*;

    fn activity(text: &str) -> Fact {
        Fact::Activity { text: text.to_owned() }
    }

    fn notice(text: &str) -> Fact {
        Fact::Notice { text: text.to_owned() }
    }

    #[test]
    fn of_what_goes_on_only_the_last_is_reported_and_order_is_kept() {
        let mut batch = Batch::default();
        for fact in [activity("a"), notice("n"), activity("b"), Fact::TurnTaken, Fact::TurnTaken] {
            batch.add(fact);
        }
        assert_eq!(batch.take(), [notice("n"), activity("b"), Fact::TurnTaken]);
        assert!(batch.is_empty());
    }

    #[test]
    fn a_flood_is_reported_in_pieces_that_fit() {
        let mut batch = Batch::default();
        for number in 0..=MAX_FACTS {
            batch.add(notice(&format!("{number} {}", "ä".repeat(3 * MAX_TEXT))));
        }
        let facts = batch.take();
        assert!(serde_json::to_vec(&facts).unwrap().len() < crate::protocol::MAX_BODY_BYTES);
        assert_eq!((facts.len(), batch.take().len()), (MAX_FACTS, 1));
    }
}
