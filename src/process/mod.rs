//! Process trees as the kernel tells of them: ancestors, descendants, markers, locks, signals.
//!
//! Reads `/proc` and sends signals; knows nothing of tasks or agents. The store and the supervisor
//! both end trees, and both must do it the same way.
//!
//! A process is always named by its pid **and** the tick it started at ([`Process`]), and a signal
//! goes through a pidfd that was checked against both, so that a reused pid is never signalled.

pub mod alive;
mod ancestors;
mod attending;
mod bearing;
mod boot;
mod descendants;
pub mod document;
mod end_tree;
mod family;
mod fault_points;
mod mark;
mod pid;
pub mod room;
mod running;
mod signal;
mod stat;
pub mod subreaper;
mod work;

pub use ancestors::{AncestryError, ancestors};
pub use attending::attends;
pub use bearing::Bearing;
pub use boot::boot;
pub use descendants::descendants;
pub use end_tree::{Ladder, Survivors, Tree, end_tree};
pub use family::Family;
pub use fault_points::{FaultPoint, FaultPoints};
pub use mark::{Mark, marked};
pub use pid::Pid;
pub use running::{Process, ReadProcessError};
pub use signal::{Signal, signal};
pub use work::work_below;

#[cfg(test)]
mod tests;
