//! The points at which a test may kill an import.

use crate::process::FaultPoint;

/// A place between two steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Point {
    /// Everything was checked and numbers are set apart; nothing stands.
    SetApart,
    /// One sandbox stands, with its conversation.
    OnePlaced,
    /// Everything stands and no row is recorded.
    Placed,
    /// The rows are recorded, and what says that they were not yet is still there.
    Recorded,
}

impl FaultPoint for Point {
    fn name(self) -> &'static str {
        match self {
            Self::SetApart => "import:set_apart",
            Self::OnePlaced => "import:one_placed",
            Self::Placed => "import:placed",
            Self::Recorded => "import:recorded",
        }
    }
}
