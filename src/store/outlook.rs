//! What a look at tasks needs besides their rows: who runs them, and what keeps them from running.

use super::{failure::Failure, fleet, scope::Scope};
use crate::{
    database::{Read, rows::task::TaskRow},
    domain::{EarlierRun, Fleet, Hold},
    ids::Timestamp,
    vocabulary::Quotas,
};

/// How everything stands around the tasks, read once for as many of them as are looked at.
pub(super) struct Outlook {
    scope: Scope,
    fleet: Fleet,
    now: Timestamp,
}

impl Outlook {
    /// As it is now.
    pub(super) fn now(read: &Read<'_>, scope: &Scope, quotas: &Quotas) -> Result<Self, Failure> {
        let now = Timestamp::now();
        Ok(Self { scope: scope.clone(), fleet: fleet::fleet(read, quotas, now)?, now })
    }

    /// Whether a store runs the tree of `row` without a further act.
    pub(super) fn serves(&self, row: &TaskRow) -> bool {
        self.scope.holds(row.root)
    }

    /// Why the task of `row` does not run yet, where it is queued. `earlier` are its runs where it is for any agent.
    pub(super) fn hold(&self, row: &TaskRow, earlier: &[EarlierRun]) -> Option<Hold> {
        let candidate = fleet::candidate(row, earlier)?;
        let held = self.fleet.hold(&candidate, self.now);
        // Where no store would begin the probe that is due, the trouble is what keeps the task.
        held.or_else(|| if self.serves(row) { None } else { self.fleet.pause_of_all(&candidate.agents) })
    }
}
