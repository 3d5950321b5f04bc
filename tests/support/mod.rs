//! What the tests share: waiting for a state with a deadline, throw-away projects, real programs.

pub(crate) mod repository;
pub(crate) mod workshop;
