//! Giving a command that a person starts by hand what an agent of callbox's own is given.
//!
//! This process supervises it in the foreground: it holds the execution's lock, writes the
//! configuration of the shim, and reports the end.

mod attached;
mod configuration;
mod ending;
mod fault_point;
mod prepared;
mod reports;
mod run;

pub use attached::attached;
pub(crate) use prepared::Prepared;
pub(crate) use run::run;
