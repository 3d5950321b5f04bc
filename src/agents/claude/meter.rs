//! What a run has used so far.

use std::collections::VecDeque;

use super::result_event::Spent;
use crate::vocabulary::Usage;

/// Messages of the model that may still repeat: one message comes as several events, and messages of
/// subagents come in between.
const REMEMBERED: usize = 256;

/// Counts tokens message by message, which is a lower bound (a message is said before it is wholly
/// written), and settles with the exact figures of each result.
#[derive(Debug, Default)]
pub(super) struct Meter {
    settled: Usage,
    open: (u64, u64),
    seen: VecDeque<String>,
}

impl Meter {
    /// Counts a message that took `tokens` (read, written); whether that changed anything.
    pub(super) fn message(&mut self, id: &str, tokens: (u64, u64)) -> bool {
        if id.is_empty() || self.seen.iter().any(|seen| seen == id) {
            return false;
        }
        if self.seen.len() == REMEMBERED {
            self.seen.pop_front();
        }
        self.seen.push_back(id.to_owned());
        self.open = (self.open.0.saturating_add(tokens.0), self.open.1.saturating_add(tokens.1));
        tokens != (0, 0)
    }

    /// Puts the exact figures of a result in the place of what was counted since the last one.
    pub(super) fn settle(&mut self, spent: Spent) {
        let (read, written) = (self.settled.tokens_in.unwrap_or(0), self.settled.tokens_out.unwrap_or(0));
        self.settled = Usage {
            cost_usd: Some(self.settled.cost_usd.unwrap_or(0.0) + spent.cost_usd),
            tokens_in: Some(read.saturating_add(spent.tokens_in)),
            tokens_out: Some(written.saturating_add(spent.tokens_out)),
        };
        self.open = (0, 0);
    }

    /// The totals of this run. Dollars are known only as far as a result has named them.
    pub(super) fn usage(&self) -> Usage {
        let sum = |settled: Option<u64>, open: u64| match (settled, open) {
            (None, 0) => None,
            (settled, open) => Some(settled.unwrap_or(0).saturating_add(open)),
        };
        Usage {
            cost_usd: self.settled.cost_usd,
            tokens_in: sum(self.settled.tokens_in, self.open.0),
            tokens_out: sum(self.settled.tokens_out, self.open.1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_comes_in_parts_counts_once_and_a_result_settles_it() {
        let mut meter = Meter::default();
        assert_eq!(meter.usage(), Usage::default());
        assert!(meter.message("m1", (100, 1)));
        assert!(!meter.message("m1", (100, 1)));
        assert_eq!(meter.usage().tokens_in, Some(100));
        meter.settle(Spent { cost_usd: 0.5, tokens_in: 110, tokens_out: 20 });
        meter.message("m2", (10, 1));
        let usage = Usage { cost_usd: Some(0.5), tokens_in: Some(120), tokens_out: Some(21) };
        assert_eq!(meter.usage(), usage);
    }
}
