//! The points at which a test may kill what removes remains.

use crate::process::FaultPoint;

/// A place between two steps of removing them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Point {
    /// The store has given them up, and everything still stands.
    GivenUp,
    /// One thing was moved into the trash.
    Moved,
    /// One folder is gone.
    Removed,
}

impl FaultPoint for Point {
    fn name(self) -> &'static str {
        match self {
            Self::GivenUp => "gc:given_up",
            Self::Moved => "gc:moved",
            Self::Removed => "gc:removed",
        }
    }
}
