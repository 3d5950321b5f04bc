//! The points at which a test may kill an attached command's supervisor.

use crate::process::FaultPoint;

/// A place between two steps of a run that was begun by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Point {
    /// The run is claimed, and the store has not heard that it began.
    BeforeStarted,
    /// The store has heard that it began, and the person has not seen what is still to be said.
    BeforeShown,
    /// The person has seen it, and the store has heard so.
    Shown,
}

impl FaultPoint for Point {
    fn name(self) -> &'static str {
        match self {
            Self::BeforeStarted => "attach:before_started",
            Self::BeforeShown => "attach:before_shown",
            Self::Shown => "attach:shown",
        }
    }
}
