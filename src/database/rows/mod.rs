//! Rows: one file per table, each with the functions that read and write it.

pub mod agent;
mod column;
pub mod dependency;
pub mod event;
pub mod execution;
pub mod message;
pub mod question;
pub mod signal;
pub mod task;
