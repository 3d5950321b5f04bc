//! What a run has used so far.

use super::say::Line;

/// What a step that costs something reads and writes, in tokens: callbox never sees dollars alone.
const TOKENS: (u64, u64) = (100, 10);

/// The totals of one run, as its events report them.
#[derive(Debug, Default)]
pub(super) struct Meter {
    dollars: f64,
    tokens_in: u64,
    tokens_out: u64,
}

impl Meter {
    /// Spends `dollars` more; the event that says so.
    pub(super) fn spend(&mut self, dollars: f64) -> Line<'static> {
        self.dollars += dollars;
        self.tokens_in += TOKENS.0;
        self.tokens_out += TOKENS.1;
        Line::Usage { cost_usd: self.dollars, tokens_in: self.tokens_in, tokens_out: self.tokens_out }
    }
}
