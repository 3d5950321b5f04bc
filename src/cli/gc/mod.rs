//! Removing what ended tasks left on the disk.
//!
//! The store knows what nobody needs any more and records what is given up; whether a sandbox holds work that stands
//! nowhere else is looked at here, with git, and what is given up is moved into a trash and removed from there.

mod bin;
mod branches;
mod choose;
mod collect;
mod fault_point;
mod held;
mod patched;
mod report;

pub(super) use choose::Policy;
pub(super) use collect::{Mode, collect};
pub(super) use report::Collected;
#[cfg(test)]
pub(super) use report::{Removed, Stays};
