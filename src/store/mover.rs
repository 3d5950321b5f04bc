//! Who brings a task further that is queued.

use super::settings::Residency;
use crate::{database::rows::task::TaskRow, vocabulary::ATTACHED};

/// Who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mover {
    /// This store, by itself.
    Store,
    /// Whichever store is there to run it next.
    NextStore,
    /// The person who began it, by starting its command again.
    Person,
}

impl Mover {
    /// That of the task of `row`, asked of a store that stays as `residency` says.
    pub(super) fn of(row: &TaskRow, residency: Residency) -> Self {
        match residency {
            _ if row.spec.agent == ATTACHED => Self::Person,
            Residency::Resident => Self::Store,
            Residency::Hosted { .. } => Self::NextStore,
        }
    }

    /// When the task goes on, to stand behind what it goes on with.
    pub(super) fn when(self) -> &'static str {
        match self {
            Self::Store => "",
            Self::NextStore => " once a store runs it",
            Self::Person => " once its command is started again by hand",
        }
    }
}
