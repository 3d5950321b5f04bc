//! Rows: one file per table, or per look at one, each with the functions that read and write it.

pub mod agent;
mod column;
pub mod dependency;
pub mod earlier;
pub mod event;
pub mod execution;
pub mod glance;
pub mod message;
pub mod notified;
pub mod question;
pub mod sequence;
pub mod signal;
pub mod task;
pub mod tree;
pub mod usage;
